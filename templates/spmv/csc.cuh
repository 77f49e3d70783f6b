// CSC: THREADS_PER_ROW threads share a column. Its element of x is read once, but each of its products goes to another
// row of y: a scatter, with an atomic addition per nonzero. y is zero before.
#pragma once

#include "nonzeros.cuh"

__device__ inline void multiply_csc(const int* starts, const int* rows_of, const float* values, const float* x,
                                    float* y, int columns) {
  const int column = row_of_thread();
  if (column >= columns) return;
  const float x_of_column = x[column];
  const int end = starts[column + 1];
#pragma unroll coarsening
  for (int i = starts[column] + static_cast<int>(threadIdx.x) % THREADS_PER_ROW; i < end; i += THREADS_PER_ROW)
    atomicAdd(y + read_once(rows_of + i), read_once(values + i) * x_of_column);
}
