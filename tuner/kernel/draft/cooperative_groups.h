// Writes ranks and sizes of cooperative groups in terms of threadIdx and blockIdx, so that indices made of them are
// understood: g.thread_rank() of this_grid() is blockIdx.x * blockDim.x + threadIdx.x.
#pragma once

#include <vector>

#include "tuner/kernel/source/source_outline.h"

namespace warptune::tuner::draft {

// Returns the body with the members of groups replaced. It takes blocks to be flat, as they mostly are in kernels that
// ask for ranks.
std::vector<SourceToken> without_groups(TokenSpan body);

// Returns whether a kernel waits for the whole grid, which takes a cooperative launch.
bool waits_for_the_grid(TokenSpan body);

}  // namespace warptune::tuner::draft
