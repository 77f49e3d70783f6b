#include "bench/space/space_file.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace warptune::tuner::bench {

namespace {

// The order of parameters is part of the file.
using Json = nlohmann::ordered_json;

search::Value to_value(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  return json.get<std::string>();
}

}  // namespace

SpaceFile read_space(const std::filesystem::path& file) {
  try {
    std::ifstream stream(file);
    const Json json = Json::parse(stream);
    SpaceFile space{json.at("name"), {}, {}, json.at("valid").dump()};
    for (const auto& [name, values] : json.at("parameters").items()) {
      search::Parameter parameter{name, {}};
      for (const Json& value : values) parameter.values.push_back(to_value(value));
      space.parameters.push_back(std::move(parameter));
    }
    for (const Json& text : json.at("constraints")) space.constraints.push_back({.text = text});
    return space;
  } catch (const Json::exception& error) {
    throw std::runtime_error("cannot read the search space " + file.string() + ": " + error.what());
  }
}

std::vector<SpaceFile> read_spaces(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::ranges::sort(files);
  std::vector<SpaceFile> spaces;
  for (const std::filesystem::path& file : files) spaces.push_back(read_space(file));
  return spaces;
}

}  // namespace warptune::tuner::bench
