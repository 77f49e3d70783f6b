// Reads T1's expressions. They are in Warptune's own language but for ProblemSize[…] and max(PARAMETER), which are
// rewritten as text: a parser of Python for two forms would be more than they are worth.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <regex>

#include "tuner/device/device_info.h"
#include "tuner/kernel/t1/t1_parts.h"

namespace warptune::tuner {

namespace {

// Returns BenchmarkConfig's constants. A name that is a parameter's, too, is the parameter (note_hidden_constants).
DerivedExpressions constants_of(const Node& document, const T1Names& parameters) {
  DerivedExpressions constants;
  const Node* table = document.find("BenchmarkConfig");
  if (!table) return constants;
  for (const auto& [name, value] : table->table())
    if (!parameters.contains(name)) constants.add(name, search::to_text(value.value()));
  return constants;
}

std::string replace_all(const std::string& text, const std::regex& what, const std::string& with) {
  // In a format string, '$' would mean a part of the match.
  return std::regex_replace(text, what, std::regex_replace(with, std::regex(R"(\$)"), "$$$$"));
}

}  // namespace

T1Expressions::T1Expressions(const Node& document, std::vector<search::Parameter> parameters)
    : parameters_(std::move(parameters)), constants_(constants_of(document, t1_names(parameters_))) {}

std::string T1Expressions::with_problem(std::string text, const Node& node) const {
  if (text.find("ProblemSize") == std::string::npos) return text;
  for (std::size_t axis = 0; axis < problem_.size(); ++axis)
    if (problem_[axis])
      text = replace_all(text, std::regex(fmt::format(R"(\bProblemSize\s*\[\s*{}\s*\])", axis)), *problem_[axis]);
  if (problem_[0] && !problem_[1]) text = replace_all(text, std::regex(R"(\bProblemSize\b(?!\s*\[))"), *problem_[0]);
  if (text.find("ProblemSize") != std::string::npos) node.fail("names an entry that ProblemSize does not have");
  return text;
}

std::string T1Expressions::with_extremes(std::string text) const {
  if (text.find("max") == std::string::npos && text.find("min") == std::string::npos) return text;
  const auto by_number = [](const search::Value& value) { return search::to_double(value); };
  for (const search::Parameter& parameter : parameters_)
    for (const char* extreme : {"max", "min"}) {
      const std::regex call(fmt::format(R"(\b{}\(\s*{}\s*\))", extreme, parameter.name));
      if (!std::regex_search(text, call)) continue;
      const auto [least, most] = std::ranges::minmax_element(parameter.values, {}, by_number);
      text = replace_all(text, call, search::to_text(extreme[1] == 'a' ? *most : *least));
    }
  return text;
}

std::string T1Expressions::rewrite(const Node& node) const {
  const auto* text = std::get_if<std::string>(&node.value());
  if (!text) return search::to_text(node.value());
  try {
    return constants_.expand(with_extremes(with_problem(*text, node)));
  } catch (const std::invalid_argument& error) {
    node.fail(error.what());
  }
}

search::Expression T1Expressions::parse(const Node& node, const T1Names& names) const {
  if (!std::holds_alternative<std::string>(node.value())) return search::Expression::constant(node.value());
  try {
    const search::Expression expression = search::Expression::parse(rewrite(node));
    for (const std::string& name : expression.names())
      if (!names.contains(name)) {
        const bool parameter = std::ranges::find(parameters_, name, &search::Parameter::name) != parameters_.end();
        node.fail(parameter ? fmt::format("'{0}' is a parameter, and the data is the same for every configuration; "
                                          "max({0}) is its largest value",
                                          name)
                            : fmt::format("'{}' means nothing here; expected one of {}", name, fmt::join(names, ", ")));
      }
    return expression;
  } catch (const search::ExpressionError& error) {
    node.fail(fmt::format("expected an expression, but in '{}': {}", node.string(), error.what()));
  }
}

void note_hidden_constants(const Node& document, KernelTemplate& kernel) {
  const Node* table = document.find("BenchmarkConfig");
  if (!table) return;
  const T1Names parameters = t1_names(kernel.parameters);
  for (const auto& [name, value] : table->table())
    if (parameters.contains(name))
      kernel.notes.push_back(fmt::format("{}: no effect, the parameter of that name counts", value.path()));
}

T1Names t1_names(const std::vector<search::Parameter>& parameters) {
  T1Names names;
  for (const search::Parameter& parameter : parameters) names.insert(parameter.name);
  return names;
}

T1Names t1_constant_names(const KernelTemplate& kernel) {
  T1Names names;
  for (const auto& [name, value] : kernel.sizes) names.insert(name);
  for (const auto& [name, value] : DeviceInfo{}.limits()) names.insert(name);
  return names;
}

}  // namespace warptune::tuner
