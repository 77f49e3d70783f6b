// Evaluates one constraint for one configuration.
#pragma once

#include <string>

#include "search/value.h"

namespace warptune::tuner {

// A constraint without a value (division by zero, overflow) does not hold, as in a space. `no_value` then says why it
// has none.
struct ConstraintResult {
  bool holds = false;
  std::string no_value;
};

// Throws search::ExpressionError for a text that is no expression.
ConstraintResult evaluate_constraint(const std::string& constraint, const search::NamedValues& scope);

}  // namespace warptune::tuner
