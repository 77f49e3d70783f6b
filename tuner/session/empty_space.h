// Why a space has no configuration, in the words of `tune` and `space`.
#pragma once

#include <string>
#include <vector>

#include "search/space/search_space.h"

namespace warptune::tuner {

// Of an empty space: a sentence without its end, and where that is "These contradict each other:", the constraints.
std::vector<std::string> why_empty(const search::SearchSpace& space);

}  // namespace warptune::tuner
