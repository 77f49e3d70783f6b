// Evaluates expressions and constraints of a manifest. Errors name the place and what the expression was computed from.
#pragma once

#include <cstdint>
#include <string>

#include "search/expression/expression.h"
#include "search/value.h"

namespace warptune::tuner {

// Returns the expression's value. `place` is where the manifest has the expression: "arguments.alpha.value". It is
// empty where no manifest has it. Throws ExpressionError that names the place, the text and the column.
search::Value value_at(const search::Expression& expression, const search::NamedValues& scope,
                       const std::string& place);

// Returns the expression's value as a whole number. `place` is where the manifest has the expression:
// "launches[0].grid[1]". It is empty where no manifest has it. Throws std::invalid_argument for a fraction and for less
// than `least`, and ExpressionError.
std::int64_t count(const search::Expression& expression, const search::NamedValues& scope, std::int64_t least,
                   const std::string& place = {});

// A constraint without a value (division by zero, overflow) does not hold, as in a space. `no_value` then says why it
// has none.
struct ConstraintResult {
  bool holds = false;
  std::string no_value;
};

// Evaluates a constraint for one configuration. Throws search::ExpressionError for a text that is no expression.
ConstraintResult evaluate_constraint(const std::string& constraint, const search::NamedValues& scope);

}  // namespace warptune::tuner
