// Converts a trial's launches to the JSON text of their column and back. Figures that are 0 and a launch count of 1 are
// left out, since there are many trials.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "search/trial.h"

namespace warptune::db {

// Returns an empty text if there are no launches.
std::string launches_to_json(const std::vector<search::LaunchUse>& launches);
// Throws std::exception for a text that launches_to_json() did not write.
std::vector<search::LaunchUse> launches_from_json(std::string_view text);

}  // namespace warptune::db
