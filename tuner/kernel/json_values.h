// Converts values to and from plain JSON, for files that applications and other tools read. A member's type in JSON is
// its value's type.
#pragma once

#include <exception>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "search/value.h"

namespace warptune::tuner {

using Json = nlohmann::ordered_json;

Json json_from_values(const search::NamedValues& values);
// Throws Json::exception if `json` is no integer of 64 bits with a sign.
std::int64_t integer_from_json(const Json& json);
// Throws Json::exception if `json` is no object of numbers, booleans and strings.
search::NamedValues values_from_json(const Json& json);

// Returns what is wrong by an exception of Json's, without the library's numbering of its errors.
std::string words_of(const std::exception& error);

}  // namespace warptune::tuner
