// Reads the search space of a T1 file: parameters with values of the type that it names, and conditions. It also
// chooses the default configuration. That is the reference of all others where the file gives no data, so it must be
// one that the conditions allow.

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

// A Default that is a number beside Values of text, or a list of one (both exist), stands for the value it names.
std::optional<search::Value> given_default(const Node& parameter, const search::Parameter& known,
                                           std::vector<std::string>& notes) {
  const Node* given = parameter.find("Default");
  if (!given) return std::nullopt;
  const Node& node = given->is_array() && given->array().size() == 1 ? given->array().front() : *given;
  for (const search::Value& value : known.values)
    if (search::same_value(value, node.value()) || search::to_text(value) == search::to_text(node.value()))
      return value;
  notes.push_back(fmt::format("{}: no effect, {} is not among the Values of {}", given->path(),
                              search::to_text(node.value()), known.name));
  return std::nullopt;
}

// Searches depth first over the parameters, with each at its Default first. What is found first differs from the
// Defaults in the last parameters only. A condition is evaluated as soon as all its names have values.
class Descent {
 public:
  Descent(const KernelTemplate& kernel, search::NamedValues wanted) : kernel_(kernel), wanted_(std::move(wanted)) {
    for (const std::string& text : kernel.constraints) conditions_.push_back(search::Expression::parse(text));
    scope_ = kernel.sizes;
  }

  // Returns whether a configuration was found. `values()` then returns it.
  bool run(std::size_t level = 0) {
    if (level == kernel_.parameters.size()) return true;
    const search::Parameter& parameter = kernel_.parameters[level];
    std::vector<search::Value> order = parameter.values;
    const search::Value* wanted = search::find_value(wanted_, parameter.name);
    // This is not that of std::ranges, which Clang 14 does not compile with GCC's library.
    std::stable_partition(order.begin(), order.end(),
                          [&](const search::Value& value) { return search::same_value(value, *wanted); });
    scope_.emplace_back(parameter.name, order.front());
    for (const search::Value& value : order) {
      scope_.back().second = value;
      if (steps_++ > most_steps) break;
      if (allowed(parameter.name) && run(level + 1)) return true;
    }
    scope_.pop_back();
    return false;
  }

  search::NamedValues values() const {
    return {scope_.begin() + static_cast<std::ptrdiff_t>(kernel_.sizes.size()), scope_.end()};
  }

 private:
  // A space that hides its first configuration longer than this is left to the session's own check.
  static constexpr std::size_t most_steps = 200'000;

  // Returns whether all conditions hold that `latest` completes. Device limits are not known yet, and a division by
  // zero forbids.
  bool allowed(const std::string& latest) const {
    return std::ranges::all_of(conditions_, [&](const search::Expression& condition) {
      const auto& names = condition.names();
      const bool complete = std::ranges::all_of(
          names, [&](const std::string& name) { return search::find_value(scope_, name) != nullptr; });
      if (!complete || std::ranges::find(names, latest) == names.end()) return true;
      try {
        return search::truth(condition.evaluate(scope_));
      } catch (const search::ExpressionError&) {
        return false;
      }
    });
  }

  const KernelTemplate& kernel_;
  search::NamedValues wanted_;
  std::vector<search::Expression> conditions_;
  search::NamedValues scope_;
  std::size_t steps_ = 0;
};

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

void choose_t1_default(const Node& document, KernelTemplate& kernel) {
  const auto& given = document.at("ConfigurationSpace").at("TuningParameters").array();
  bool all_given = true;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const search::Parameter& parameter = kernel.parameters[i];
    const auto value = given_default(given[i], parameter, kernel.notes);
    all_given &= value.has_value();
    kernel.default_values.emplace_back(parameter.name, value.value_or(parameter.values.front()));
    kernel.about.emplace_back();
  }
  Descent descent(kernel, kernel.default_values);
  if (!descent.run() || search::to_text(descent.values()) == search::to_text(kernel.default_values)) return;
  kernel.default_values = descent.values();
  if (all_given)
    kernel.notes.push_back(fmt::format("the Defaults are a configuration that the Conditions forbid; in their place {}",
                                       search::to_text(kernel.default_values)));
}

}  // namespace warptune::tuner
