// Finds what a kernel does only where its data say so: if (active[i]) out[i] = 1;
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "tuner/kernel/source/source_outline.h"

namespace warptune::tuner::draft {

// Returns the places, each from its first token to the one behind its last, that depend on a condition with a word of
// `is_data` and for which no `else` stands. Behind `if (!active[i]) return;` this place is the rest of the block.
using Places = std::vector<std::pair<std::size_t, std::size_t>>;
Places data_conditions(TokenSpan body, const std::function<bool(const SourceToken&)>& is_data);

}  // namespace warptune::tuner::draft
