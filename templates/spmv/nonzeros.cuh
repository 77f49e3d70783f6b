// What all formats have in common: nonzeros as a column and a value each, and threads that add up a row's products.
#pragma once

#include <warptune/device/warp.cuh>

#include "access.cuh"

struct Nonzeros {
  const int* columns;
  const float* values;
  const float* x;

  __device__ float product(int i) const { return read_once(values + i) * x_at(read_once(columns + i)); }

  __device__ float x_at(int column) const {
    // A generic load: the pointer may be one into shared memory (window.cuh).
    if constexpr (x_memory == XMemory::shared) return x[column];
    return read_often(x + column);
  }
};

__device__ inline int row_of_thread() {
  // Rows have numbers of 31 bits; all threads together may be more.
  constexpr int rows_per_block = BLOCK_SIZE / THREADS_PER_ROW;
  return static_cast<int>(blockIdx.x) * rows_per_block + static_cast<int>(threadIdx.x) / THREADS_PER_ROW;
}

__device__ inline bool leads_row() {
  return threadIdx.x % THREADS_PER_ROW == 0;
}

// For the first of THREADS_PER_ROW threads: the sum of all of theirs.
__device__ inline float sum_of_row_threads(float sum) {
  return warptune::device::sum_in_first_lane<THREADS_PER_ROW>(sum);
}

// THREADS_PER_ROW threads share `count` nonzeros, `stride` apart from `first` on. COARSENING products are begun before
// the first is needed. The row's leader gets the sum.
__device__ inline float row_sum(const Nonzeros& a, int first, int stride, int count) {
  float sum = 0.0f;
  int i = static_cast<int>(threadIdx.x) % THREADS_PER_ROW;
  for (; i + (COARSENING - 1) * THREADS_PER_ROW < count; i += COARSENING * THREADS_PER_ROW) {
    float products[COARSENING];
#pragma unroll
    for (int item = 0; item < COARSENING; ++item)
      products[item] = a.product(first + (i + item * THREADS_PER_ROW) * stride);
#pragma unroll
    for (int item = 0; item < COARSENING; ++item) sum += products[item];
  }
  for (; i < count; i += THREADS_PER_ROW) sum += a.product(first + i * stride);
  return sum_of_row_threads(sum);
}

// A lane's sum with those of the lanes before it in the same row.
__device__ inline float sum_within_row(float sum, int row) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int offset = 1; offset < 32; offset *= 2) {
    const float left = __shfl_up_sync(0xffffffffu, sum, offset);
    const int left_row = __shfl_up_sync(0xffffffffu, row, offset);
    if (lane >= offset && left_row == row) sum += left;
  }
  return sum;
}
