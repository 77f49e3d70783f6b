// Gives each variable of a kernel a name of its own.
#pragma once

#include <vector>

#include "tuner/kernel/source/source_outline.h"

namespace warptune::tuner::draft {

// Returns the body with variables of the same name told apart: from the second on, each has a name that no source has.
// Each loop of a kernel may have an i of its own, and what was the column of the tile that is read may become that of
// the tile that is written.
std::vector<SourceToken> with_own_names(TokenSpan body);

}  // namespace warptune::tuner::draft
