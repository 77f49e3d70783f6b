// Replaces intrinsics that multiply by products.
#pragma once

#include <vector>

#include "tuner/kernel/source/source_outline.h"

namespace warptune::tuner::draft {

// Returns `body` with (a) * (b) in the place of __umul24(a, b) and __mul24(a, b), which older kernels' indices are made
// of.
std::vector<SourceToken> with_products(std::vector<SourceToken> body);

}  // namespace warptune::tuner::draft
