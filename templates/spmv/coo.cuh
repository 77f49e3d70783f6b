// The matrix in COO, ordered by rows: nonzero i belongs to rows_of[i]. y holds zero, or the rest of the sum, before.
#pragma once

#include "nonzeros.cuh"

// Every product is added to y by itself.
__device__ inline void multiply_coo_atomically(const Nonzeros& a, const int* rows_of, float* y, int count) {
  const int first = static_cast<int>(blockIdx.x) * BLOCK_SIZE * COARSENING + static_cast<int>(threadIdx.x);
#pragma unroll
  for (int item = 0; item < COARSENING; ++item) {
    const int i = first + item * BLOCK_SIZE;
    if (i < count) atomicAdd(y + rows_of[i], a.product(i));
  }
}

// A warp walks through 32 * COARSENING nonzeros, and adds to y once a row: the last lane's row goes on with the first
// lane's next nonzero (Bell & Garland, section 4.4).
__device__ inline void multiply_coo_by_segments(const Nonzeros& a, const int* rows_of, float* y, int count) {
  const int thread = static_cast<int>(blockIdx.x) * BLOCK_SIZE + static_cast<int>(threadIdx.x);
  const int lane = thread % 32;
  const int first = thread / 32 * 32 * COARSENING + lane;
  int open_row = -1;
  float open_sum = 0.0f;
#pragma unroll
  for (int item = 0; item < COARSENING; ++item) {
    const int i = first + item * 32;
    const int row = i < count ? rows_of[i] : -1;
    float sum = i < count ? a.product(i) : 0.0f;
    if (lane == 0) {
      if (row == open_row) {
        sum += open_sum;
      } else if (open_row >= 0) {
        atomicAdd(y + open_row, open_sum);
      }
    }
    sum = sum_within_row(sum, row);
    const int right_row = __shfl_down_sync(0xffffffffu, row, 1);
    if (lane < 31 && row >= 0 && right_row != row) atomicAdd(y + row, sum);
    open_row = __shfl_sync(0xffffffffu, row, 31);
    open_sum = __shfl_sync(0xffffffffu, sum, 31);
  }
  if (lane == 0 && open_row >= 0) atomicAdd(y + open_row, open_sum);
}
