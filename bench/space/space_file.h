// Reads the plain form of a search space: {"name", "parameters": {name: [values]}, "constraints": [texts], "valid"}.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "search/space/search_space.h"

namespace warptune::tuner::bench {

struct SpaceFile {
  std::string name;
  std::vector<search::Parameter> parameters;
  std::vector<search::Constraint> constraints;
  std::string valid;  // the number of valid configurations, in decimal
};

// Throws std::runtime_error that names the file.
SpaceFile read_space(const std::filesystem::path& file);
// Every *.json of a folder, by name.
std::vector<SpaceFile> read_spaces(const std::filesystem::path& folder);

}  // namespace warptune::tuner::bench
