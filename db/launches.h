// A trial's launches as the JSON text of their column. Zeros and a single launch are left out: there are many trials.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "search/trial.h"

namespace warptune::db {

// Empty for none.
std::string launches_to_json(const std::vector<search::LaunchUse>& launches);
// Throws std::exception for what that did not write.
std::vector<search::LaunchUse> launches_from_json(std::string_view text);

}  // namespace warptune::db
