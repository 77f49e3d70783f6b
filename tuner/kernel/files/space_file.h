#pragma once

#include <filesystem>

#include "search/space/search_space.h"

namespace warptune::tuner {

// The space of a JSON file: T1 (the community's tuning input: ConfigurationSpace with TuningParameters and Conditions)
// or the plain form {"parameters": {NAME: [values]}, "constraints": ["…"]}. Parameters keep the file's order. Throws
// RequestError naming the file and what was expected.
search::SearchSpace load_space_file(const std::filesystem::path& file);

}  // namespace warptune::tuner
