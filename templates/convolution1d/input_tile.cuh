// A block as wide as its input tile. Every thread loads one input; then the threads over the halo have nothing to
// compute. Loads need no loop and no branch, but 2 * radius threads of each block idle.
#pragma once

#include "signal.cuh"

constexpr int input_tile_outputs = BLOCK_SIZE - 2 * radius;
constexpr int unroll = UNROLL;

// Dynamic shared memory: the tile, then the filter.
__device__ inline void convolve_input_tile(float* tile, const Signal& signal, float* output, const float* filter) {
  const int thread = static_cast<int>(threadIdx.x);
  const long long i = static_cast<long long>(blockIdx.x) * input_tile_outputs + thread - radius;
  tile[thread] = signal.at(i);
  filter = keep_filter(tile + BLOCK_SIZE, filter);
  __syncthreads();
  if (thread < radius || thread >= BLOCK_SIZE - radius || i >= signal.size) return;
  float sum = 0.0f;
#pragma unroll(unroll)
  for (int t = 0; t < taps; ++t) sum += tap(filter, t) * tile[thread - radius + t];
  output[i] = sum;
}
