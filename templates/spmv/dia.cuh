// DIA: a thread per row walks through the diagonals. There are no column numbers to read, and neighbouring threads read
// neighbours of the matrix and of x. What a diagonal lacks is stored as zeros: a format for bands.
#pragma once

#include "access.cuh"

__device__ inline void multiply_dia(const int* offsets, const float* values, int diagonals, const float* x, float* y,
                                    int rows) {
  const int row = static_cast<int>(blockIdx.x) * BLOCK_SIZE + static_cast<int>(threadIdx.x);
  if (row >= rows) return;
  float sum = 0.0f;
#pragma unroll coarsening
  for (int d = 0; d < diagonals; ++d) {
    const int beyond = row - (rows - offsets[d]);  // the diagonal goes on at the row's other end
    const int column = beyond < 0 ? beyond + rows : beyond;
    sum += read_once(values + static_cast<long long>(d) * rows + row) * read_often(x + column);
  }
  y[row] = sum;
}
