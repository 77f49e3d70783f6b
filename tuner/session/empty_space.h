// Says why a space has no configuration, in the words that `tune` and `space` print.
#pragma once

#include <string>
#include <vector>

#include "search/space/search_space.h"

namespace warptune::tuner {

// Returns the lines that explain an empty space. The first is a sentence without its full stop. Where it is "These
// contradict each other:", the constraints follow, one a line.
std::vector<std::string> why_empty(const search::SearchSpace& space);

}  // namespace warptune::tuner
