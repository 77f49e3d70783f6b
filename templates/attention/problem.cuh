// What is computed, and which part of it a block takes. The parameters are described in kernel.cu.
#pragma once

#include <warptune/device/arithmetic.cuh>
#include <warptune/device/warp.cuh>

#include "numbers.cuh"

using warptune::device::lane_of_thread;
using warptune::device::max_of;
using warptune::device::min_of;

constexpr NumberFormat format = NumberFormat::PRECISION;
constexpr int head_dim = HEAD_DIM;
constexpr bool causal = CAUSAL;

struct Problem {
  int matrices;  // of queries: sequences times heads
  int heads;     // of queries, and of keys
  int kv_heads;
  int queries;  // of a matrix
  int keys;
  float scale;  // of the scores, times log2(e): exponentials are powers of two

  // The matrix of keys that belongs to one of queries: neighbouring heads share them.
  __device__ int matrix_of_keys(int matrix) const {
    const int group = (heads - 1) / kv_heads + 1;
    return matrix / heads * kv_heads + matrix % heads / group;
  }
  // The last query belongs to the last key. How many keys this query sees: none or fewer where it is not positive.
  __device__ int visible(int query) const { return causal ? min_of(query + 1 + keys - queries, keys) : keys; }
};

// TILE_M queries of a matrix.
struct Tile {
  int matrix;
  int row;  // the first query

  // Tiles of keys that the last of its queries sees.
  __device__ int steps(const Problem& problem) const {
    const int visible = problem.visible(min_of(row + TILE_M, problem.queries) - 1);
    return visible <= 0 ? 0 : (visible - 1) / TILE_N + 1;
  }
};

// Blocks walk RASTER_GROUP matrices together, so that their keys and values stay in the L2 cache; where tiles differ
// in length, the longest come first, and the short ones fill what is left at the end.
struct Tiles {
  Problem problem;

  __device__ int down() const { return (problem.queries - 1) / TILE_M + 1; }
  __device__ int count() const { return problem.matrices * down(); }
  __device__ Tile at(int index) const {
    const int group = index / (RASTER_GROUP * down());
    const int rest = index - group * (RASTER_GROUP * down());
    const int width = min_of(problem.matrices - group * RASTER_GROUP, RASTER_GROUP);
    const int block = rest / width;
    return {group * RASTER_GROUP + rest % width, (causal ? down() - 1 - block : block) * TILE_M};
  }
};
