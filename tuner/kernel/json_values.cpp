// Converts values to and from the JSON of nlohmann's library.
#include "tuner/kernel/json_values.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

namespace warptune::tuner {

namespace {

search::Value value_from(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX))
    throw Json::out_of_range::create(406, json.dump() + " is no integer of 64 bits with a sign", nullptr);
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  return json.get<std::string>();
}

}  // namespace

std::int64_t integer_from_json(const Json& json) {
  if (!json.is_number_integer()) throw Json::type_error::create(302, json.dump() + " is no integer", nullptr);
  return std::get<std::int64_t>(value_from(json));
}

Json json_from_values(const search::NamedValues& values) {
  Json object = Json::object();
  for (const auto& [name, value] : values)
    object[name] = std::visit([](const auto& content) -> Json { return content; }, value);
  return object;
}

search::NamedValues values_from_json(const Json& json) {
  search::NamedValues values;
  for (const auto& [name, value] : json.get_ref<const Json::object_t&>()) values.emplace_back(name, value_from(value));
  return values;
}

std::string words_of(const std::exception& error) {
  const std::string_view message = error.what();  // "[json.exception.parse_error.101] parse error at line 1 …"
  const std::size_t end = message.find("] ");
  return std::string(message.substr(end == message.npos ? 0 : end + 2));
}

}  // namespace warptune::tuner
