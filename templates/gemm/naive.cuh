// The product without shared memory. The parameters are described in kernel.cu.
#pragma once

#include "operands.cuh"

enum class Algorithm { naive, tiled };
constexpr Algorithm algorithm = Algorithm::ALGORITHM;

// Every operand from global memory, once for each use. Rows and columns outside C read the border's instead: what they
// sum up is never stored.
__device__ inline void multiply_naively(Accumulator& sums, const Operands& from, Place mine) {
#pragma unroll unroll
  for (int k = 0; k < from.k; ++k) {
    Element b[COARSENING_N];
#pragma unroll
    for (int j = 0; j < COARSENING_N; ++j) {
      const int column = min_of(from.at.column + mine.column + column_offset(j), from.n - 1);
      b[j] = from.b[B_TRANSPOSED ? static_cast<long long>(column) * from.k + k
                                 : static_cast<long long>(k) * from.n + column];
    }
#pragma unroll
    for (int i = 0; i < COARSENING_M; ++i) {
      const int row = min_of(from.at.row + mine.row + row_offset(i), from.m - 1);
      const Element a =
          from.a[A_TRANSPOSED ? static_cast<long long>(k) * from.m + row : static_cast<long long>(row) * from.k + k];
#pragma unroll
      for (int j = 0; j < COARSENING_N; ++j) sums[i][j] += a * b[j];
    }
  }
}
