// Rewrites the usual forms of a division that rounds up as ceildiv(a, b).
#pragma once

#include "tuner/kernel/draft/expressions/c_expression.h"

namespace warptune::tuner::draft {

// Returns the expression as ceildiv(a, b) if it is one of these forms, else as it is. Its parts must be simplified.
//   (a + b - 1) / b     in any order of the terms; with numbers, (a + 255) / 256
//   (a - 1) / b + 1
//   a / b + (a % b != 0)     also with ? 1 : 0
//   a % b ? a / b + 1 : a / b
//   round_up(a, b) / b, iDivUp(a, b)     by the function's name
CExpression with_rounding(CExpression expression);

// Returns what is left of `a + 255` or `a + 256 - 1` without the terms that make a division by 256 round up. Returns
// std::nullopt if these terms are not there. What is left may be a number: 10000 + 256 - 1.
std::optional<CExpression> without_rounding(const CExpression& numerator, std::int64_t divisor);

// Returns whether the expression is a / b, a % b, or a call of a function that divides upwards by its name.
bool is_division(const CExpression& expression);

}  // namespace warptune::tuner::draft
