#include "db/json.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace warptune::db {

namespace {

using Json = nlohmann::ordered_json;

Json encode(double number) {
  if (std::isfinite(number)) return number;
  return {{"double", to_text(Value(number))}};
}

Json encode(const Value& value) {
  if (const double* number = std::get_if<double>(&value)) return encode(*number);
  return std::visit([](const auto& plain) { return Json(plain); }, value);
}

double decode_number(const Json& json) {
  if (!json.is_object()) return json.get<double>();
  const auto& text = json.at("double").get_ref<const std::string&>();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  return text == "-inf" ? -infinity : infinity;
}

Value decode(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_string()) return json.get<std::string>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  return decode_number(json);
}

}  // namespace

std::string to_json(const NamedValues& values) {
  Json json = Json::object();
  for (const auto& [name, value] : values) json[name] = encode(value);
  return json.dump();
}

std::string to_json(const std::map<std::string, double>& numbers) {
  Json json = Json::object();
  for (const auto& [name, number] : numbers) json[name] = encode(number);
  return json.dump();
}

std::string to_json(const std::vector<double>& numbers) {
  Json json = Json::array();
  for (const double number : numbers) json.push_back(encode(number));
  return json.dump();
}

NamedValues values_from_json(std::string_view text) {
  NamedValues values;
  const Json json = Json::parse(text);
  for (const auto& [name, value] : json.items()) values.emplace_back(name, decode(value));
  return values;
}

std::map<std::string, double> number_map_from_json(std::string_view text) {
  std::map<std::string, double> numbers;
  const Json json = Json::parse(text);
  for (const auto& [name, number] : json.items()) numbers.emplace(name, decode_number(number));
  return numbers;
}

std::vector<double> numbers_from_json(std::string_view text) {
  std::vector<double> numbers;
  for (const auto& number : Json::parse(text)) numbers.push_back(decode_number(number));
  return numbers;
}

std::string to_sorted_json(NamedValues values) {
  std::sort(values.begin(), values.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return to_json(values);
}

}  // namespace warptune::db
