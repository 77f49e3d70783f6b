// Makes a kernel whose inputs are changed by a few units in their last place. Where its outputs then differ from the
// unchanged kernel's, a candidate's may differ, too, and be right: sums in another order and fused operations make
// errors of that size. Rejected: a bound from the source's text, which knows nothing of the values; the kernel in
// double precision, for which its text would have to be rewritten.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tuner/results/judge/combination.h"

namespace warptune::tuner::judge {

// Returns the buffers of floating-point numbers that kernels get from the device's memory and read.
std::vector<std::string> shakeable_inputs(const Json& manifest);

// Returns one template of the kernel as it is and of the same with shaken inputs; the former is the reference. Returns
// nothing where there is no input to shake. Writes sources into `folder`. Throws ManifestError, RequestError.
std::optional<Json> shaken(const Kernel& kernel, const std::filesystem::path& folder);

}  // namespace warptune::tuner::judge
