// Reads the search space of a T1 file: parameters with values of the type that it names, and conditions.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "tuner/kernel/manifest/json_document.h"
#include "tuner/kernel/names.h"
#include "tuner/kernel/t1/t1.h"
#include "tuner/kernel/t1/t1_parts.h"

namespace warptune::tuner {

namespace {

std::vector<search::Value> given_values(const Node& node) {
  std::vector<search::Value> values;
  if (node.is_array()) {
    for (const Node& item : node.array()) values.push_back(item.value());
    return values;
  }
  try {
    return t1_values(node.string());
  } catch (const std::invalid_argument& error) {
    node.fail(error.what());
  }
}

search::Value as_type(const search::Value& value, const std::string& type, const Node& node) {
  const auto* number = std::get_if<std::int64_t>(&value);
  const bool text = std::holds_alternative<std::string>(value);
  if (type == "string" && text) return value;
  if ((type == "float" || type == "double") && !text) return search::to_double(value);
  if (type == "bool" && number && (*number == 0 || *number == 1)) return *number == 1;
  if (type == "bool" && std::holds_alternative<bool>(value)) return value;
  if (number && (type == "int" || (type == "uint" && *number >= 0))) return value;
  node.fail(fmt::format("{} is no {}", search::to_text(value), type));
}

// Returns whether a name can become a macro.
bool is_t1_identifier(const std::string& name) {
  const auto continues = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
  return !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) && std::ranges::all_of(name, continues);
}

search::Parameter read_parameter(const Node& given) {
  search::Parameter parameter{given.at("Name").string(), {}};
  if (!is_t1_identifier(parameter.name)) given.at("Name").fail("expected letters, digits and '_', a digit not first");
  if (const std::string wrong = wrong_name(parameter.name); !wrong.empty())
    given.at("Name").fail(fmt::format("'{}': {}, in the Conditions and the source, too", parameter.name, wrong));
  const Node& type = given.at("Type");
  constexpr std::string_view types[] = {"int", "uint", "float", "double", "bool", "string"};
  if (std::ranges::find(types, type.string()) == std::end(types))
    type.fail(fmt::format("expected one of {}", fmt::join(types, ", ")));
  const Node& values = given.at("Values");
  for (const search::Value& value : given_values(values)) {
    const search::Value typed = as_type(value, type.string(), values);
    const auto same = [&](const search::Value& seen) { return search::same_value(seen, typed); };
    if (std::ranges::any_of(parameter.values, same))
      values.fail(fmt::format("the value {} is there twice", search::to_text(typed)));
    parameter.values.push_back(typed);
  }
  if (parameter.values.empty()) values.fail("expected at least one value");
  return parameter;
}

}  // namespace

std::vector<search::Parameter> t1_parameters(const Node& document) {
  std::vector<search::Parameter> parameters;
  const Node& list = document.at("ConfigurationSpace").at("TuningParameters");
  for (const Node& given : list.array()) {
    parameters.push_back(read_parameter(given));
    if (std::ranges::count(parameters, parameters.back().name, &search::Parameter::name) > 1)
      given.at("Name").fail("another parameter has the same name");
  }
  if (parameters.empty()) list.fail("expected at least one parameter");
  return parameters;
}

std::vector<std::string> t1_conditions(const Node& document, const T1Expressions& expressions) {
  std::vector<std::string> conditions;
  const Node* list = document.at("ConfigurationSpace").find("Conditions");
  if (!list) return conditions;
  T1Names names = t1_names(expressions.parameters());
  for (const std::string& limit : t1_constant_names({})) names.insert(limit);
  for (const Node& condition : list->array())
    conditions.push_back(expressions.parse(condition.at("Expression"), names).text());
  return conditions;
}

bool is_t1(const nlohmann::ordered_json& document) {
  return document.is_object() && document.contains("ConfigurationSpace");
}

T1Space t1_space(const nlohmann::ordered_json& document, const std::string& file) {
  const Node root = json_node(document, file);
  const T1Expressions expressions(root, t1_parameters(root));
  return {expressions.parameters(), t1_conditions(root, expressions)};
}

}  // namespace warptune::tuner
