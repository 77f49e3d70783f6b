// Evaluates the constraints of constraint_result.h.
#include "tuner/kernel/constraint_result.h"

#include <fmt/format.h>

#include "search/expression/expression.h"

namespace warptune::tuner {

ConstraintResult evaluate_constraint(const std::string& constraint, const search::NamedValues& scope) {
  const search::Expression expression = search::Expression::parse(constraint);
  try {
    return {search::truth(expression.evaluate(scope)), {}};
  } catch (const search::ExpressionError& error) {
    return {false, fmt::format("it has no value there: {} (column {})", error.what(), error.column())};
  }
}

}  // namespace warptune::tuner
