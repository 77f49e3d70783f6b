// Evaluates expressions, and adds to their errors the place, the text and the values that were used.
#include "tuner/kernel/evaluation.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace warptune::tuner {

namespace {

// Returns the values that an expression was computed from, such as " for W=400,BLOCK_X=32", or an empty text if it uses
// none.
std::string origin(const search::Expression& expression, const search::NamedValues& scope) {
  search::NamedValues used;
  for (const std::string& name : expression.names())
    if (const search::Value* value = search::find_value(scope, name)) used.emplace_back(name, *value);
  return used.empty() ? "" : " for " + search::to_text(used);
}

}  // namespace

search::Value value_at(const search::Expression& expression, const search::NamedValues& scope,
                       const std::string& place) {
  try {
    return expression.evaluate(scope);
  } catch (const search::ExpressionError& error) {
    throw search::ExpressionError(
        fmt::format("{}{}: {} at column {}{}", place.empty() ? "" : place + " = ", expression.text(), error.what(),
                    error.column(), origin(expression, scope)),
        error.column());
  }
}

std::int64_t count(const search::Expression& expression, const search::NamedValues& scope, std::int64_t least,
                   const std::string& place) {
  const search::Value value = value_at(expression, scope, place);
  const auto described = [&] {
    return fmt::format("{}{} gives {}{}", place.empty() ? "" : place + " = ", expression.text(), search::to_text(value),
                       origin(expression, scope));
  };
  const double* real = std::get_if<double>(&value);
  if (real && *real != std::floor(*real))
    throw std::invalid_argument(described() + ", which is no whole number; '//' or ceildiv instead of '/'?");
  const std::int64_t number = search::to_integer(value);
  if (number < least) throw std::invalid_argument(fmt::format("{}, expected at least {}", described(), least));
  return number;
}

ConstraintResult evaluate_constraint(const std::string& constraint, const search::NamedValues& scope) {
  const search::Expression expression = search::Expression::parse(constraint);
  try {
    return {search::truth(expression.evaluate(scope)), {}};
  } catch (const search::ExpressionError& error) {
    return {false, fmt::format("it has no value there: {} (column {})", error.what(), error.column())};
  }
}

}  // namespace warptune::tuner
