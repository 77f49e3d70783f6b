// What the passes that find grids, blocks and shared memory use of each other.
#pragma once

#include <optional>
#include <string>

#include "tuner/kernel/draft/passes/work.h"

namespace warptune::tuner::draft {

// A Cover says what a block covers along an axis, and by which variable. It says how many threads share a value of the
// variable, if several do.
struct Cover {
  std::optional<CExpression> elements;
  std::string variable;
  std::optional<CExpression> threads_each;
};

// Returns what a block covers along an axis. Where a variable is made of blockIdx, it is what blockIdx is multiplied
// with.
Cover cover_of_axis(const Draft& draft, const Site& site, int axis);

// Returns the threads of a flat block that has rows of WIDTH threads: threadIdx.x % WIDTH and threadIdx.x / WIDTH. The
// block has as many rows as blockIdx.y * ROWS + threadIdx.x / WIDTH says.
std::optional<CExpression> threads_in_rows(const Work& work, const Site& site, int axis);

// Takes a product such as WIDTH * WIDTH as the block's threads. A parameter in it is then a tile and no number of
// threads, whatever it is called.
void use_rows_as_block(Draft& draft, Site& site, int axis, const CExpression& threads);

// Returns the block that numbers say. blockIdx.x * 64 + threadIdx.x * 4 has 16 threads. Where no index says it, an
// array such as tile[16][16] does.
std::optional<CExpression> literal_block(Work& work, const Site& site, int axis);

// Returns the parameter that a number in the host's block stands for: TILE for dim3(32, 32), if the kernel has
// blockIdx.x * TILE + threadIdx.x, and TILE is 32.
const ParameterDraft* parameter_of_literal(const Work& work, const Site& site, int axis, std::int64_t value);

// Adds the parameter for a kernel that takes blocks of any size, and returns its name. A value of 0 is unknown.
CExpression new_block_parameter(Work& work, const Site& site, int axis, std::int64_t value);

// Notes a block of BLOCK * TILE threads, where a loop goes to TILE in a way that does not say how far a thread's
// elements are apart.
void note_undecided_block(Draft& draft, const Site& site, const CExpression& block, int axis);

// Returns the macro that is the size along an axis. Returns std::nullopt where the kernel takes integers, because these
// would say it.
std::optional<CExpression> macro_size_of_axis(Work& work, const Site& site, int axis);

// Takes the bytes of a launch such as k<<<n, 128, 128 * sizeof(float)>>>. Where the 128 threads became a parameter, the
// bytes follow it.
void read_host_shared(Work& work, Site& site, const std::optional<CExpression>& bytes);

// Returns the bytes for the largest of the indices that are understood, or std::nullopt if none is.
std::optional<CExpression> dynamic_shared(const Work& work, const Site& site);

}  // namespace warptune::tuner::draft
