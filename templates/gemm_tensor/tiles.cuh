// Which tile of the result each block works on.
#pragma once

__host__ __device__ constexpr int min_of(int a, int b) {
  return a < b ? a : b;
}
__host__ __device__ constexpr int max_of(int a, int b) {
  return a < b ? b : a;
}

// An element of C: a tile's first, or within a tile a warp's first.
struct Place {
  int row;
  int column;
};

__device__ inline int lane_of_warp() {
  return static_cast<int>(threadIdx.x) % 32;
}

// Tiles below each other that the blocks of a cluster take together count as one.
constexpr int cluster_rows = TILE_M * CLUSTER_SIZE;
constexpr int raster_group = max_of(1, RASTER_GROUP / CLUSTER_SIZE);

__device__ inline int rank_in_cluster() {
  return static_cast<int>(blockIdx.x) % CLUSTER_SIZE;
}
__device__ inline int cluster_of_block() {
  return static_cast<int>(blockIdx.x) / CLUSTER_SIZE;
}
__device__ inline int clusters() {
  return static_cast<int>(gridDim.x) / CLUSTER_SIZE;
}

// The first element of the tile of C with this number. Blocks walk RASTER_GROUP tile rows together, column by column:
// those in flight then share rows of A and columns of B in the L2 cache.
__device__ inline Place tile_of_block(int block, int m, int n) {
  const int tiles_down = (m - 1) / cluster_rows + 1;
  const int tiles_across = (n - 1) / TILE_N + 1;
  const int group = block / (raster_group * tiles_across);
  const int rest = block - group * (raster_group * tiles_across);
  const int height = min_of(tiles_down - group * raster_group, raster_group);
  return {(group * raster_group + rest % height) * cluster_rows + rank_in_cluster() * TILE_M, rest / height * TILE_N};
}

// The tiles of C, and what each is the sum of. A cluster (of one block, if there are none) takes every clusters()-th
// tile; its warpgroups all of them together, or in turns.
struct Tiles {
  int m;
  int n;
  int k;

  __device__ int count() const { return ((m - 1) / cluster_rows + 1) * ((n - 1) / TILE_N + 1); }
  __device__ int pairs() const { return (k - 1) / TILE_K + 1; }
};
