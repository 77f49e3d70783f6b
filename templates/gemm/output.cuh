// Which tile of C a block computes, and how its sums get there. The parameters are described in kernel.cu.
#pragma once

#include "product.cuh"

// The first element of the tile of C with this number. Blocks walk GROUP_M tile rows together, column by column: those
// in flight then share rows of A and columns of B in the L2 cache.
__device__ inline Place tile_of_block(int block, int m, int n) {
  const int tiles_m = (m - 1) / BLOCK_M + 1;
  const int tiles_n = (n - 1) / BLOCK_N + 1;
  const int group = block / (GROUP_M * tiles_n);
  const int rest = block - group * (GROUP_M * tiles_n);
  const int height = min_of(tiles_m - group * GROUP_M, GROUP_M);
  return {(group * GROUP_M + rest % height) * BLOCK_M, rest / height * BLOCK_N};
}

// C is not read where beta is zero, as in BLAS: it may hold NaNs then.
template <int Width>
__device__ inline void write_run(Element* c, const Element* sums, Element alpha, Element beta) {
  Pack<Width> result{};
  if (beta != Element(0)) result = load<Width>(c);
#pragma unroll
  for (int j = 0; j < Width; ++j)
    result.at[j] = alpha * sums[j] + (beta != Element(0) ? beta * result.at[j] : Element(0));
  *reinterpret_cast<Pack<Width>*>(c) = result;
}

__device__ inline void write_sums(Element* c, int m, int n, const Accumulator& sums, Place at, Element alpha,
                                  Element beta) {
#ifdef C_ALIGNED  // known when this is compiled, as ROWS_ALIGNED (operands.cuh)
  constexpr bool vectors = C_ALIGNED;
#else
  const bool vectors = n % run_n == 0;
#endif
#pragma unroll
  for (int i = 0; i < THREAD_M; ++i) {
    const int row = at.row + row_offset(i);
    if (row >= m) continue;
#pragma unroll
    for (int j = 0; j < THREAD_N; j += run_n) {
      const int column = at.column + column_offset(j);
      Element* run = c + static_cast<long long>(row) * n + column;
      if (vectors) {
        if (column < n) write_run<run_n>(run, &sums[i][j], alpha, beta);
      } else {
#pragma unroll
        for (int l = 0; l < run_n; ++l) {
          if (column + l < n) write_run<1>(run + l, &sums[i][j + l], alpha, beta);
        }
      }
    }
  }
}
