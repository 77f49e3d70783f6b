// What of a draft nobody said.
#pragma once

#include <string>
#include <vector>

#include "tuner/kernel/draft/draft.h"

namespace warptune::tuner::draft {

// A line for each kind of which there are some: "sizes: h = 1024, w = 1024", then values, data and tolerances.
std::vector<std::string> guessed(const Draft& draft);

}  // namespace warptune::tuner::draft
