// Ranks and sizes of cooperative groups in the words of threadIdx and blockIdx, so that indices made of them are
// understood: g.thread_rank() of this_grid() is blockIdx.x * blockDim.x + threadIdx.x.
#pragma once

#include <vector>

#include "tuner/kernel/source/source_outline.h"

namespace warptune::tuner::draft {

// Blocks are taken to be flat, as those that ask for ranks mostly are.
std::vector<SourceToken> without_groups(TokenSpan body);

// Whether a kernel waits for the whole grid, which takes a cooperative launch.
bool waits_for_the_grid(TokenSpan body);

}  // namespace warptune::tuner::draft
