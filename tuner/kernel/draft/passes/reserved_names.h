// Renames what means something else in a manifest's expressions than in the source: time is what a run takes, warp_size
// is the device's, max is a function, and `in` is a word of the language.
#pragma once

#include "tuner/kernel/draft/passes/draft.h"

namespace warptune::tuner::draft {

// Gives such sizes and parameters another name ("time_") wherever the draft has them, and says so. The source keeps
// its own: what it knows as a macro is passed under that name.
void rename_reserved(Draft& draft);

// Returns an expression of a draft that still has the source's names, with such names replaced in the same way.
std::string evaluable(const Draft& draft, std::string expression);

}  // namespace warptune::tuner::draft
