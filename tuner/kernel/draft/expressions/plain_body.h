// Rewrites a kernel's body so that indices in it are plain arithmetic of threadIdx, blockIdx and variables with a name
// of their own.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tuner/kernel/source/source_outline.h"

namespace warptune::tuner::draft {

// Returns the body with variables of the same name told apart: from the second on, each has a name that no source has.
// Each loop of a kernel may have an i of its own, and what was the column of the tile that is read may become that of
// the tile that is written.
std::vector<SourceToken> with_own_names(TokenSpan body);

// Returns the namespaces that the source opens, and std.
std::set<std::string> namespaces_of(const SourceOutline& outline);
// Returns the tokens without the names of namespaces: img::TILE becomes TILE. Members of types keep the name of the
// type: Pack::size.
std::vector<SourceToken> without_namespaces(TokenSpan tokens, const std::set<std::string>& namespaces);

// Returns `body` with (a) * (b) in the place of __umul24(a, b) and __mul24(a, b), which older kernels' indices are made
// of.
std::vector<SourceToken> with_products(std::vector<SourceToken> body);

// Returns the body with ranks and sizes of cooperative groups in terms of threadIdx and blockIdx: g.thread_rank() of
// this_grid() becomes blockIdx.x * blockDim.x + threadIdx.x. It takes blocks to be flat, as they mostly are in kernels
// that ask for ranks.
std::vector<SourceToken> without_groups(TokenSpan body);

// Returns whether a kernel waits for the whole grid, which takes a cooperative launch.
bool waits_for_the_grid(TokenSpan body);

}  // namespace warptune::tuner::draft
