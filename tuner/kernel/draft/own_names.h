// One name for each variable of a kernel.
#pragma once

#include <vector>

#include "tuner/kernel/source/source_outline.h"

namespace warptune::tuner::draft {

// Each loop of a kernel may have an i of its own, and what was the column of the tile that is read may become that of
// the tile that is written. From the second on they are told apart, by a name that no source has.
std::vector<SourceToken> with_own_names(TokenSpan body);

}  // namespace warptune::tuner::draft
