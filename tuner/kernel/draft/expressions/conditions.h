// Finds what a kernel compares: the variables, of which one that is never compared may run past a buffer's end, and
// what it does only where its data say so.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tuner/kernel/source/source_outline.h"

namespace warptune::tuner::draft {

// Returns the names on either side of <, >, == or !=, and in the arguments of minima and maxima. "blockIdx.x" is one
// name. What stands in brackets does not count: x[i] > 0 says nothing about i.
std::set<std::string> compared_names(TokenSpan body);

// Returns the places, each from its first token to the one behind its last, that depend on a condition with a word of
// `is_data` and for which no `else` stands: if (active[i]) out[i] = 1; Behind `if (!active[i]) return;` this place is
// the rest of the block.
using Places = std::vector<std::pair<std::size_t, std::size_t>>;
Places data_conditions(TokenSpan body, const std::function<bool(const SourceToken&)>& is_data);

}  // namespace warptune::tuner::draft
