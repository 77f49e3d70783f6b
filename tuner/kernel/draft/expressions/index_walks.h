// Finds variables and pointers that walk: `c += xy` in a loop, `in += blockIdx.x * 256` before one. An index that is
// made of them alone says where they begin.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "tuner/kernel/draft/expressions/c_expression.h"

namespace warptune::tuner::draft {

// Returns what is added in all to each name that is added to, or nothing for a name of which a loop does not say it.
// One step in each pass of `for (k = 0; k < n; ++k)` is k steps. A loop's own variable is left out.
std::map<std::string, std::optional<CExpression>> walks_of(TokenSpan body,
                                                           const std::map<std::string, CExpression>& definitions);

}  // namespace warptune::tuner::draft
