// #define IDX(x, y) ((y) * nx + (x)): macros with parameters, put in the place of their uses, so that the indices that
// they make are understood.
#pragma once

#include <vector>

#include "tuner/kernel/source/source_outline.h"

namespace warptune::tuner::draft {

// Those of `outline` whose text is an expression without # and ##, within each other up to a few levels. A use with
// another number of arguments stays.
std::vector<SourceToken> with_macros_expanded(TokenSpan body, const SourceOutline& outline);

// The host's code with those macros, and with the source's functions that are nothing but `return EXPRESSION;`, in the
// place of their calls. What divides upwards by its name stays: `init` knows what it is.
std::vector<SourceToken> with_calls_expanded(TokenSpan body, const SourceOutline& outline);

// A signature without macros that stand for a part of a type, as #define RESTRICT __restrict__, or for nothing. Those
// within brackets are lengths, and stay.
std::vector<SourceToken> with_type_macros_expanded(TokenSpan signature, const SourceOutline& outline);

}  // namespace warptune::tuner::draft
