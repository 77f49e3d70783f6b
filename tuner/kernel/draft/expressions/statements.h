// Finds where statements end, in the tokens of a function's body.
#pragma once

#include <initializer_list>
#include <string_view>

#include "tuner/kernel/source/source_outline.h"

namespace warptune::tuner::draft {

// Returns the tokens from `at` to the first of the signs that is not within brackets, or to the end.
TokenSpan tokens_until(TokenSpan body, std::size_t at, std::initializer_list<std::string_view> signs);
// Returns the place behind the statement that begins at `at`. That of an `if` includes its `else`.
std::size_t behind_statement(TokenSpan body, std::size_t at, int depth = 32);

}  // namespace warptune::tuner::draft
