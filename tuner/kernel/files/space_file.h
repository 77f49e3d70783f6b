// Loads a search space from a JSON file.
#pragma once

#include <filesystem>

#include "search/space/search_space.h"

namespace warptune::tuner {

// Returns the space of a JSON file. The file is T1 (the community's tuning input: ConfigurationSpace with
// TuningParameters and Conditions) or has the plain form {"parameters": {NAME: [values]}, "constraints": ["…"]}.
// Parameters keep the file's order. Throws RequestError naming the file and what was expected.
search::SearchSpace load_space_file(const std::filesystem::path& file);

}  // namespace warptune::tuner
