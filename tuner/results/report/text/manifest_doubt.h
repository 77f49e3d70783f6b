// Says what to doubt in the manifest of a session in which most configurations are wrong: then the manifest is likelier
// to be wrong than each of them.
#pragma once

#include <string>
#include <vector>

#include "search/space/search_space.h"
#include "search/trial.h"
#include "tuner/kernel/kernel_template.h"

namespace warptune::tuner {

// Returns some sentences with what the wrong trials have in common and which key of the manifest may be at fault. It is
// empty where no more than half of the verified trials are wrong, or just one is.
std::string manifest_doubt(const std::vector<search::Trial>& trials, const search::SearchSpace& space,
                           const KernelTemplate& kernel);

}  // namespace warptune::tuner
