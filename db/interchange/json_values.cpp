// Checks and converts JSON values. Errors quote at most 60 characters of what was found.
#include "db/interchange/json_values.h"

#include <fmt/format.h>

#include <stdexcept>

namespace warptune::db {

namespace {

[[noreturn]] void refuse(const std::string& what, const char* expected, const Json& found) {
  std::string text = found.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  throw std::invalid_argument(fmt::format("{}: expected {}, found {}", what, expected, text));
}

}  // namespace

search::Value value_from_json(const Json& json, const std::string& what) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_float()) return json.get<double>();
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX))
    refuse(what, "an integer of 64 bits", json);
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_string()) return json.get<std::string>();
  refuse(what, "a number, a boolean or a string", json);
}

std::string text_from_json(const Json& json, const std::string& what) {
  if (!json.is_string()) refuse(what, "a string", json);
  return json.get<std::string>();
}

double number_from_json(const Json& json, const std::string& what) {
  if (!json.is_number()) refuse(what, "a number", json);
  return json.get<double>();
}

std::vector<search::Value> values_from_json(const Json& json, const std::string& what) {
  if (!json.is_array()) return {value_from_json(json, what)};
  std::vector<search::Value> values;
  for (const Json& element : json) values.push_back(value_from_json(element, what));
  return values;
}

std::vector<std::string> names_from_json(const Json& json, const std::string& what) {
  std::vector<std::string> names;
  for (const search::Value& value : values_from_json(json, what)) {
    if (!std::holds_alternative<std::string>(value)) refuse(what, "a name, or an array of names", json);
    names.push_back(std::get<std::string>(value));
  }
  return names;
}

std::vector<double> numbers_from_json(const Json& json, const std::string& what) {
  if (!json.is_array()) refuse(what, "an array of numbers", json);
  std::vector<double> numbers;
  numbers.reserve(json.size());
  for (const Json& element : json)
    if (!element.is_null()) numbers.push_back(number_from_json(element, what));
  return numbers;
}

const Json& member(const Json& object, const std::string& name, const std::string& what) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  if (!object.is_object() || found == object.end()) refuse(what, ("a member \"" + name + "\"").c_str(), object);
  return *found;
}

std::vector<search::Parameter> parameters_from_json(const Json& json, const std::string& what) {
  if (!json.is_object()) refuse(what, "an object of arrays", json);
  std::vector<search::Parameter> parameters;
  for (const auto& [name, domain] : json.items()) parameters.push_back({name, values_from_json(domain, name)});
  return parameters;
}

Json parameters_to_json(const std::vector<search::Parameter>& parameters) {
  Json json = Json::object();
  for (const search::Parameter& parameter : parameters) json[parameter.name] = to_json(parameter.values);
  return json;
}

std::vector<search::Value> configuration_from_json(const Json& json, const std::vector<search::Parameter>& parameters) {
  std::vector<search::Value> values;
  values.reserve(parameters.size());
  for (const search::Parameter& parameter : parameters)
    values.push_back(value_from_json(member(json, parameter.name, "a configuration"), parameter.name));
  return values;
}

Json to_json(const search::Value& value) {
  return std::visit([](const auto& held) { return Json(held); }, value);
}

Json to_json(const std::vector<search::Value>& values) {
  Json json = Json::array();
  for (const search::Value& value : values) json.push_back(to_json(value));
  return json;
}

void add_precise_failure(const RecordedTrial& trial, search::Outcome coarse, const std::string& coarse_message,
                         Json& record) {
  if (trial.outcome != coarse) record["outcome"] = search::to_string(trial.outcome);
  if (trial.message != coarse_message) record["message"] = trial.message;
}

void read_precise_failure(const Json& record, RecordedTrial& trial) {
  if (const auto outcome = record.find("outcome"); outcome != record.end() && outcome->is_string())
    trial.outcome = search::outcome_from_string(outcome->get<std::string>()).value_or(trial.outcome);
  if (const auto message = record.find("message"); message != record.end() && message->is_string())
    trial.message = message->get<std::string>();
}

}  // namespace warptune::db
