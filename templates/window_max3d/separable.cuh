// One axis after the other, through global memory: a maximum of maxima. A thread takes `span` windows next to each
// other.
#pragma once

#include "volume.cuh"

constexpr int row_outputs = BLOCK_DIM_X * span;
constexpr int row_pitch = row_outputs + halo;

// AxisAlgorithm x, where a thread's windows are neighbours: rows come to shared memory and leave from there, so that a
// warp's accesses are neighbours too. Threads meet different banks if span is odd. A block takes BLOCK_DIM_Y of
// `rows` rows.
__device__ inline void max_along_x(const float* input, float* output, float* shared, long long rows, int width) {
  const long long row = static_cast<long long>(blockIdx.x) * BLOCK_DIM_Y + threadIdx.y;
  const int first = static_cast<int>(blockIdx.y) * row_outputs;
  const int thread = static_cast<int>(threadIdx.x);
  float* line = shared + static_cast<int>(threadIdx.y) * row_pitch;
  for (int i = thread; i < row_pitch; i += BLOCK_DIM_X) {
    const int x = first - before + i;
    line[i] = row < rows && x >= 0 && x < width ? input[row * width + x] : nothing();
  }
  __syncthreads();
  float values[2 * span - 1];
  float maxima[span];
#pragma unroll
  for (int i = 0; i < 2 * span - 1; ++i) values[i] = line[thread * span + i];
  slide(values, maxima);
  __syncthreads();
#pragma unroll
  for (int i = 0; i < span; ++i) line[thread * span + i] = maxima[i];
  __syncthreads();
  for (int i = thread; i < row_outputs; i += BLOCK_DIM_X)
    if (row < rows && first + i < width) output[row * width + first + i] = line[i];
}

// AxisAlgorithm y or z, where a thread's neighbours are `step` apart, and where neighbouring threads read neighbours as
// it is.
__device__ inline void max_across(const float* input, float* output, int width, int extent, long long step,
                                  long long other_step) {
  const int x = static_cast<int>(blockIdx.x * BLOCK_DIM_X + threadIdx.x);
  const int first = static_cast<int>(blockIdx.y * BLOCK_DIM_Y + threadIdx.y) * span;
  if (x >= width || first >= extent) return;
  const long long line = blockIdx.z * other_step + x;
  float values[2 * span - 1];
  float maxima[span];
#pragma unroll
  for (int i = 0; i < 2 * span - 1; ++i) {
    const int at = first - before + i;
    values[i] = at >= 0 && at < extent ? __ldg(input + line + at * step) : nothing();
  }
  slide(values, maxima);
#pragma unroll
  for (int i = 0; i < span; ++i)
    if (first + i < extent) output[line + (first + i) * step] = maxima[i];
}
