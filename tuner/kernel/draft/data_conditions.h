// What a kernel does only where its data say so: if (active[i]) out[i] = 1;
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "tuner/kernel/source/source_outline.h"

namespace warptune::tuner::draft {

// The places, from the first to the one behind the last, that depend on a condition with a word of `is_data`, and that
// no `else` stands for. Behind `if (!active[i]) return;` it is the rest of the block.
using Places = std::vector<std::pair<std::size_t, std::size_t>>;
Places data_conditions(TokenSpan body, const std::function<bool(const SourceToken&)>& is_data);

}  // namespace warptune::tuner::draft
