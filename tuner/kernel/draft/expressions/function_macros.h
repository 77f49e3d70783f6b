// Replaces the uses of macros with parameters, such as #define IDX(x, y) ((y) * nx + (x)), by the macros' text, so that
// the indices that they make are understood.
#pragma once

#include <vector>

#include "tuner/kernel/source/source_outline.h"

namespace warptune::tuner::draft {

// Returns `body` with the macros of `outline` expanded whose text is an expression without # and ##. Macros within each
// other are expanded up to a few levels. A use with another number of arguments stays.
std::vector<SourceToken> with_macros_expanded(TokenSpan body, const SourceOutline& outline);

// Returns the host's code with those macros expanded, and with the calls of the source's functions that are nothing but
// `return EXPRESSION;` replaced in the same way. What divides upwards by its name stays: `init` knows what it is.
std::vector<SourceToken> with_calls_expanded(TokenSpan body, const SourceOutline& outline);

// Returns a signature in which macros that stand for a part of a type, as #define RESTRICT __restrict__, or for nothing
// are expanded. Macros within square brackets are lengths, and stay.
std::vector<SourceToken> with_type_macros_expanded(TokenSpan signature, const SourceOutline& outline);

}  // namespace warptune::tuner::draft
