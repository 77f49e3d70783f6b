// Blocked CSR: one column number serves a whole block of BCSR_BLOCK x BCSR_BLOCK values, and its rows share a piece of
// x. Zeros within a block are stored and multiplied: a format for matrices whose nonzeros lie in dense blocks.
#pragma once

#include "nonzeros.cuh"

// THREADS_PER_ROW threads share a row and take every THREADS_PER_ROW-th block of it.
__device__ inline void multiply_bcsr(const int* starts, const int* columns, const float* values, const float* x,
                                     float* y, int rows) {
  const int row = row_of_thread();
  const int block_row = row / BCSR_BLOCK;
  const int end = row < rows ? starts[block_row + 1] : 0;
  float sum = 0.0f;
#pragma unroll coarsening
  for (int block = (row < rows ? starts[block_row] : 0) + static_cast<int>(threadIdx.x) % THREADS_PER_ROW; block < end;
       block += THREADS_PER_ROW) {
    const int first = read_once(columns + block) * BCSR_BLOCK;
    const float* values_of_row = values + (block * BCSR_BLOCK + row % BCSR_BLOCK) * BCSR_BLOCK;
#pragma unroll
    for (int i = 0; i < BCSR_BLOCK; ++i)
      if (first + i < rows) sum += read_once(values_of_row + i) * read_often(x + first + i);
  }
  sum = sum_of_row_threads(sum);
  if (leads_row() && row < rows) y[row] = sum;
}
