// Expressions of a manifest as values, with errors that name the place and what they were computed from.
#pragma once

#include <cstdint>
#include <string>

#include "search/expression/expression.h"
#include "search/value.h"

namespace warptune::tuner {

// `place` is where the manifest has it: "arguments.alpha.value"; empty: it has no such. Throws ExpressionError that
// says it, with the text and the column.
search::Value value_at(const search::Expression& expression, const search::NamedValues& scope,
                       const std::string& place);

// `place` is where the manifest has it: "launches[0].grid[1]"; empty: it has no such. Throws std::invalid_argument for
// a fraction and for less than `least`, ExpressionError.
std::int64_t count(const search::Expression& expression, const search::NamedValues& scope, std::int64_t least,
                   const std::string& place = {});

}  // namespace warptune::tuner
