// What a constraint says of one configuration.
#pragma once

#include <string>

#include "search/value.h"

namespace warptune::tuner {

// Without a value (division by zero, overflow) a constraint does not hold, as in a space, and `no_value` says why not.
struct ConstraintResult {
  bool holds = false;
  std::string no_value;
};

// Throws search::ExpressionError for a text that is no expression.
ConstraintResult evaluate_constraint(const std::string& constraint, const search::NamedValues& scope);

}  // namespace warptune::tuner
