// A block as wide and high as its input tile. Every thread loads one input; then the threads over the halo have nothing
// to compute. Loads need no loop and no branch, but the threads of the tile's outer rows and columns idle.
#pragma once

#include "separable.cuh"

// Outputs of a block (blocks of other strategies may be smaller than a halo).
constexpr int input_tile_x = BLOCK_DIM_X - 2 * radius;
constexpr int input_tile_y = BLOCK_DIM_Y - 2 * radius;

__device__ inline float convolve_in_tile(const float* tile, const float* filter) {
  constexpr int unrolled_rows = FULLY_UNROLLED ? taps : 1;
  const int corner = (static_cast<int>(threadIdx.y) - radius) * pitch + static_cast<int>(threadIdx.x) - radius;
  float sum = 0.0f;
#pragma unroll(unrolled_rows)
  for (int y = 0; y < taps; ++y) {
#pragma unroll
    for (int x = 0; x < taps; ++x) sum += tap(filter, y, x) * tile[corner + y * pitch + x];
  }
  return sum;
}

// Dynamic shared memory: the tile, then the filter.
__device__ inline void convolve_input_tile(float* tile, const Image& image, float* output, const float* filter) {
  const int y = static_cast<int>(threadIdx.y);
  const int x = static_cast<int>(threadIdx.x);
  const int row = static_cast<int>(blockIdx.y) * input_tile_y + y - radius;
  const int column = static_cast<int>(blockIdx.x) * input_tile_x + x - radius;
  tile[y * pitch + x] = image.at(row, column);
  filter = keep_filter(tile, filter);
  __syncthreads();
  const bool computes = y >= radius && y < BLOCK_DIM_Y - radius && x >= radius && x < BLOCK_DIM_X - radius;
  if (!computes || row >= image.height || column >= image.width) return;
  output[static_cast<long long>(row) * image.width + column] = convolve_in_tile(tile, filter);
}
