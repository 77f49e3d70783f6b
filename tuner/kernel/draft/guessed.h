// Lists the sizes, values, data and tolerances of a draft that nobody stated and that `init` therefore guessed.
#pragma once

#include <string>
#include <vector>

#include "tuner/kernel/draft/passes/draft.h"

namespace warptune::tuner::draft {

// Returns a line for each kind of guess of which there are some: "sizes: h = 1024, w = 1024", then values, data and
// tolerances.
std::vector<std::string> guessed(const Draft& draft);

}  // namespace warptune::tuner::draft
