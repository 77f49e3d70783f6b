// What is multiplied, and which part of it each block works on. The parameters are described in kernel.cu.
#pragma once

#include <warptune/device/arithmetic.cuh>
#include <warptune/device/numbers16.cuh>
#include <warptune/device/warp.cuh>

using warptune::device::lane_of_thread;
using warptune::device::max_of;
using warptune::device::min_of;
using warptune::device::NumberFormat;

enum class ZeroPoints { symmetric, groups };
enum class Combine { two_launches, last_block };

// Of A, the scales and D: half or bfloat16, as their bits.
using Element = unsigned short;

constexpr NumberFormat format = NumberFormat::PRECISION;
constexpr ZeroPoints zero_points = ZeroPoints::ZERO_POINTS;
constexpr Combine combine = Combine::COMBINE;
constexpr int word_k = 8;  // weights in a word
constexpr int middle = 8;  // what stands for zero where there are no zero points
constexpr int group_k = GROUP_SIZE;

// Row-major: A m x k; weights ceil(k / 8) x n words; scales ceil(k / GROUP_SIZE) x n; zeros as many rows of ceil(n / 8)
// words, eight columns each.
struct Operands {
  const Element* a;
  const unsigned* weights;
  const Element* scales;
  const unsigned* zeros;
  int m;
  int n;
  int k;
};

// D is m x n; parts: SPLIT_K matrices of floats like it; tickets: one for each tile, zero.
struct Result {
  Element* d;
  float* parts;
  unsigned* tickets;
  int m;
  int n;
};

// An element of D: a tile's first, or a warp's.
struct Place {
  int row;
  int column;
};

struct Tiles {
  int down;
  int across;

  __device__ int count() const { return down * across; }
  // Blocks walk RASTER_GROUP rows of tiles together, column by column: those in flight then share rows of A and columns
  // of B in the L2 cache.
  __device__ Place place(int tile) const {
    const int group = tile / (RASTER_GROUP * across);
    const int rest = tile - group * (RASTER_GROUP * across);
    const int height = min_of(down - group * RASTER_GROUP, RASTER_GROUP);
    return {(group * RASTER_GROUP + rest % height) * TILE_M, rest / height * TILE_N};
  }
};

__device__ inline Tiles tiles_of(int m, int n) {
  return {(m - 1) / TILE_M + 1, (n - 1) / TILE_N + 1};
}
