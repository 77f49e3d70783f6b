// Converts values to and from plain JSON, for files that applications and other tools read. A member's type in JSON is
// its value's type.
#pragma once

#include <nlohmann/json.hpp>

#include "search/value.h"

namespace warptune::tuner {

using Json = nlohmann::ordered_json;

Json json_from_values(const search::NamedValues& values);
// Throws Json::exception if `json` is no integer of 64 bits with a sign.
std::int64_t integer_from_json(const Json& json);
// Throws Json::exception if `json` is no object of numbers, booleans and strings.
search::NamedValues values_from_json(const Json& json);

// Returns what is wrong, without the library's numbering of its errors.
std::string words_of(const Json::exception& error);

}  // namespace warptune::tuner
