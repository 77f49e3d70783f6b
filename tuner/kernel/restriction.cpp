// Checks the names in restrictions before the space is built.
#include "tuner/kernel/restriction.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "search/expression/expression.h"
#include "search/spelling.h"
#include "tuner/kernel/problem.h"

namespace warptune::tuner {

namespace {

// Returns the names that a restriction may use.
std::vector<std::string> restrictable_names(const KernelTemplate& kernel, const search::NamedValues& constants) {
  std::vector<std::string> names;
  for (const search::Parameter& parameter : kernel.parameters) names.push_back(parameter.name);
  for (const auto& [name, value] : constants) names.push_back(name);
  return names;
}

search::Expression parse_restriction(const std::string& text) {
  try {
    return search::Expression::parse(text);
  } catch (const search::ExpressionError& error) {
    throw RequestError(
        fmt::format("the restriction '{}' is no expression: {} (column {}); templates/MANIFEST.md has the "
                    "language",
                    text, error.what(), error.column()));
  }
}

}  // namespace

void restrict_space(KernelTemplate& kernel, const std::vector<std::string>& restrictions,
                    const search::NamedValues& constants) {
  const std::vector<std::string> known = restrictable_names(kernel, constants);
  for (const std::string& text : restrictions) {
    const search::Expression restriction = parse_restriction(text);
    for (const std::string& name : restriction.names())
      if (std::ranges::find(known, name) == known.end())
        throw RequestError(fmt::format(
            "the restriction '{}' names {}, which is no parameter, size or device limit of {}{}; `warptune space {}` "
            "lists the parameters",
            text, name, kernel.name, search::did_you_mean(name, known),
            kernel.manifest.empty() ? kernel.name : kernel.shown(kernel.manifest).string()));
    kernel.constraints.push_back(text);
  }
}

std::vector<std::string> canonical_restrictions(const std::vector<std::string>& restrictions) {
  const std::set<std::string> sorted(restrictions.begin(), restrictions.end());
  return {sorted.begin(), sorted.end()};
}

}  // namespace warptune::tuner
