// Finds variables of the device that are 0 in every run because no argument of the manifest fills them.
#pragma once

#include <string>
#include <vector>

#include "tuner/kernel/kernel_template.h"

namespace warptune::tuner::draft {

// Returns a sentence for each __constant__ variable without a value that a launched kernel reaches and no argument
// fills, and for each such __device__ variable that no code of the device writes. A counter that kernels write is left
// out.
std::vector<std::string> unfilled_variables(const KernelTemplate& kernel);

}  // namespace warptune::tuner::draft
