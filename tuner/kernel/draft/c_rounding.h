// The ways in which people write a division that rounds up, as ceildiv(a, b).
#pragma once

#include "tuner/kernel/draft/c_expression.h"

namespace warptune::tuner::draft {

// Of an expression whose parts are simplified:
//   (a + b - 1) / b     in any order of the terms; with numbers, (a + 255) / 256
//   (a - 1) / b + 1
//   a / b + (a % b != 0)     also with ? 1 : 0
//   a % b ? a / b + 1 : a / b
//   round_up(a, b) / b, iDivUp(a, b)     by the function's name
CExpression with_rounding(CExpression expression);

// What is left of `a + 255` or `a + 256 - 1` without the terms that round up to 256 each; nothing if they are not
// there. A number may be left: 10000 + 256 - 1.
std::optional<CExpression> without_rounding(const CExpression& numerator, std::int64_t divisor);

}  // namespace warptune::tuner::draft
