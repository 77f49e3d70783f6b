// Which part of the product each block works on. The parameters are described in kernel.cu.
#pragma once

#include <warptune/device/warp.cuh>

#include "parts.cuh"

using warptune::device::lane_of_thread;

// An element of C.
struct Place {
  int row;
  int column;
};

__host__ __device__ inline int divided_up(int a, int b) {
  return (a - 1) / b + 1;
}

// The first element of the tile of C with this number. Blocks walk RASTER_GROUP tile rows together, column by column:
// those in flight then share rows of A and columns of B in the L2 cache.
__device__ inline Place tile_at(int tile, int m, int n) {
  const int down = divided_up(m, TILE_M);
  const int across = divided_up(n, TILE_N);
  const int group = tile / (RASTER_GROUP * across);
  const int rest = tile - group * (RASTER_GROUP * across);
  const int height = min_of(down - group * RASTER_GROUP, RASTER_GROUP);
  return {(group * RASTER_GROUP + rest % height) * TILE_M, rest / height * TILE_N};
}

// A tile of C, and the chunks of TILE_K along K whose products are added up for it: one of SPLIT_K shares of all.
// Shares of a tile are neighbours in number.
struct Share {
  Place at;
  int number;
  int first;
  int end;
};

struct Problem {
  int m;
  int n;
  int k;

  __device__ int chunks() const { return divided_up(k, TILE_K); }
  __device__ int shares() const { return divided_up(m, TILE_M) * divided_up(n, TILE_N) * SPLIT_K; }
  __device__ Share share(int index) const {
    const int number = index % SPLIT_K;
    const long long all = chunks();
    return {tile_at(index / SPLIT_K, m, n), number, static_cast<int>(all * number / SPLIT_K),
            static_cast<int>(all * (number + 1) / SPLIT_K)};
  }
};
