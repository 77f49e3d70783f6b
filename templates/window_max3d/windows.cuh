// The whole window for every output, from the caches or from a tile in shared memory.
#pragma once

#include "volume.cuh"

// Outputs of a block and its tile with a halo on all sides.
constexpr int tile_x = BLOCK_DIM_X + halo;
constexpr int tile_y = BLOCK_DIM_Y + halo;
constexpr int tile_z = COARSENING_Z + halo;

template <class Read>
__device__ inline float max_of_window(const Read& read) {
  float maximum = nothing();
#pragma unroll 1
  for (int z = 0; z < span; ++z) {
#pragma unroll 1
    for (int y = 0; y < span; ++y) {
#pragma unroll
      for (int x = 0; x < span; ++x) maximum = fmaxf(maximum, read(z, y, x));
    }
  }
  return maximum;
}

// The same where each loop ends at the volume's border: threads there make fewer steps than others of their warp.
__device__ inline float max_within_limits(const Volume& input, int z, int y, int x) {
  float maximum = nothing();
#pragma unroll 1
  for (int c = max(z, 0); c < min(z + span, input.depth); ++c) {
#pragma unroll 1
    for (int b = max(y, 0); b < min(y + span, input.height); ++b) {
#pragma unroll 1
      for (int a = max(x, 0); a < min(x + span, input.width); ++a)
        maximum = fmaxf(maximum, __ldg(input.values + input.place(c, b, a)));
    }
  }
  return maximum;
}

__device__ inline void load_tile(float* tile, const Volume& input, int first_z, int first_y, int first_x) {
  for (int i = thread_in_block(); i < tile_x * tile_y * tile_z; i += threads) {
    const int x = i % tile_x;
    const int y = i / tile_x % tile_y;
    const int z = i / (tile_x * tile_y);
    tile[i] = input.at(first_z + z, first_y + y, first_x + x);
  }
}

__device__ inline void max_by_windows(const Volume& input, float* output, float* tile) {
  const int block_x = static_cast<int>(blockIdx.x) * BLOCK_DIM_X - before;
  const int block_y = static_cast<int>(blockIdx.y) * BLOCK_DIM_Y - before;
  const int block_z = static_cast<int>(blockIdx.z) * COARSENING_Z - before;
  const int thread_x = static_cast<int>(threadIdx.x);
  const int thread_y = static_cast<int>(threadIdx.y);
  if constexpr (algorithm == Algorithm::tiled) {
    load_tile(tile, input, block_z, block_y, block_x);
    __syncthreads();
  }
  for (int i = 0; i < COARSENING_Z; ++i) {
    const int z = block_z + i;
    const int y = block_y + thread_y;
    const int x = block_x + thread_x;
    if (!input.holds(z + before, y + before, x + before)) continue;
    float maximum;
    if constexpr (algorithm == Algorithm::tiled) {
      const float* corner = tile + (i * tile_y + thread_y) * tile_x + thread_x;
      maximum = max_of_window([&](int dz, int dy, int dx) { return corner[(dz * tile_y + dy) * tile_x + dx]; });
    } else if constexpr (boundary == Boundary::limits) {
      maximum = max_within_limits(input, z, y, x);
    } else {
      maximum = max_of_window([&](int dz, int dy, int dx) { return input.at(z + dz, y + dy, x + dx); });
    }
    output[input.place(z + before, y + before, x + before)] = maximum;
  }
}
