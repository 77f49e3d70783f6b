// Words the contradiction that search::SearchSpace reports.
#include "tuner/session/empty_space.h"

#include <fmt/format.h>

#include <algorithm>

namespace warptune::tuner {

namespace {

// Returns the parameters that a constraint reads. Constants are not among them.
std::vector<const search::Parameter*> parameters_of(const search::SearchSpace& space,
                                                    const search::Constraint& constraint) {
  const std::vector<std::string> names =
      constraint.predicate ? constraint.names : search::Expression::parse(constraint.text).names();
  std::vector<const search::Parameter*> parameters;
  for (const search::Parameter& parameter : space.parameters())
    if (std::ranges::find(names, parameter.name) != names.end()) parameters.push_back(&parameter);
  return parameters;
}

// Lists as many of the parameter's values as fit a line.
std::string values_text(const search::Parameter& parameter) {
  constexpr std::size_t longest = 70;
  std::string text;
  for (const search::Value& value : parameter.values) {
    if (text.size() > longest) return text + ", …";
    text += (text.empty() ? "" : ", ") + search::to_text(value);
  }
  return text;
}

// Says which values a constraint's only parameter has, so that the user sees what it could ask for. The text is empty
// for a constraint that does not read exactly one parameter.
std::string choice_text(const search::SearchSpace& space, const std::string& shown) {
  const auto found = std::ranges::find(space.constraints(), shown, &search::Constraint::in_reports);
  if (found == space.constraints().end()) return {};
  const auto parameters = parameters_of(space, *found);
  if (parameters.size() != 1) return {};
  const search::Parameter& only = *parameters.front();
  return fmt::format("; {} has the value{} {}", only.name, only.values.size() == 1 ? "" : "s", values_text(only));
}

}  // namespace

std::vector<std::string> why_empty(const search::SearchSpace& space) {
  std::vector<std::string> lines = space.contradiction();
  if (lines.size() == 1)
    return {fmt::format("No configuration satisfies {}{}", lines.front(), choice_text(space, lines.front()))};
  lines.insert(lines.begin(), "These contradict each other:");
  return lines;
}

}  // namespace warptune::tuner
