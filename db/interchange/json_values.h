// Converts between JSON and the values of spaces, for all formats.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "db/interchange/recorded_space.h"

namespace warptune::db {

using Json = nlohmann::ordered_json;

// All throw std::invalid_argument that says what was expected and what was found; `what` names the place.
search::Value value_from_json(const Json& json, const std::string& what);
std::string text_from_json(const Json& json, const std::string& what);
double number_from_json(const Json& json, const std::string& what);
std::vector<search::Value> values_from_json(const Json& json, const std::string& what);  // an array, or a single value
std::vector<std::string> names_from_json(const Json& json, const std::string& what);     // likewise
std::vector<double> numbers_from_json(const Json& json, const std::string& what);        // an array, without its nulls
const Json& member(const Json& object, const std::string& name, const std::string& what);

// Read and write parameters as {"NAME": [values], …}.
std::vector<search::Parameter> parameters_from_json(const Json& json, const std::string& what);
Json parameters_to_json(const std::vector<search::Parameter>& parameters);

// Returns the values of a configuration {"NAME": value, …}, which may have other members too.
std::vector<search::Value> configuration_from_json(const Json& json, const std::vector<search::Parameter>& parameters);

Json to_json(const search::Value& value);
Json to_json(const std::vector<search::Value>& values);

// Write and read our own outcomes and messages where a format has coarser ones, as extra members "outcome" and
// "message", which other programs ignore. They are written only if reading without them would give something else.
void add_precise_failure(const RecordedTrial& trial, search::Outcome coarse, const std::string& coarse_message,
                         Json& record);
void read_precise_failure(const Json& record, RecordedTrial& trial);

}  // namespace warptune::db
