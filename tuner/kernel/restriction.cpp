#include "tuner/kernel/restriction.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "search/expression/expression.h"
#include "tuner/kernel/problem.h"

namespace warptune::tuner {

namespace {

bool has_parameter(const KernelTemplate& kernel, const std::string& name) {
  return std::ranges::find(kernel.parameters, name, &search::Parameter::name) != kernel.parameters.end();
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
  for (const std::string& text : restrictions) {
    const search::Expression restriction = parse_restriction(text);
    for (const std::string& name : restriction.names())
      if (!has_parameter(kernel, name) && !search::find_value(constants, name))
        throw RequestError(fmt::format(
            "the restriction '{}' names {}, which is no parameter, size or device limit of {}; `warptune space {}` "
            "lists the parameters",
            text, name, kernel.name, kernel.name));
    kernel.constraints.push_back(text);
  }
}

std::vector<std::string> canonical_restrictions(const std::vector<std::string>& restrictions) {
  const std::set<std::string> sorted(restrictions.begin(), restrictions.end());
  return {sorted.begin(), sorted.end()};
}

}  // namespace warptune::tuner
