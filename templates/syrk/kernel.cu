// The lower triangle of C = alpha * A * transposed(A) + beta * C, row-major floats: A is n x k, C is n x n. What lies
// above the diagonal is not touched. Both operands are rows of A: where tiles are transposed on their way to shared
// memory, all of a warp's stores would meet in a few banks, unless the tile is padded or swizzled.
//
//   TRIANGLE    all: a grid of all tiles, those above the diagonal end at once; index: a grid of the lower tiles alone,
//               which find their place by the root of their number
//   The other parameters are gemm's (../gemm/kernel.cu), whose tiles, ring and product this kernel uses.
//
// Sources: Dongarra et al., "A Set of Level 3 Basic Linear Algebra Subprograms" (TOMS 1990) for the operation; the CUDA
// C++ Best Practices Guide, "Shared Memory in Matrix Multiplication (C = A * transposed(A))", for the padded tile;
// Navarro & Hitschfeld, "GPU Maps for the Space of Computation in Triangular Domain Problems" (HPCC 2014) for block
// indices.

#include "naive.cuh"
#include "output.cuh"

enum class Triangle { all, index };
constexpr Triangle triangle = Triangle::TRIANGLE;

// The triangle is made of squares, each of which holds whole tiles.
constexpr int square = max_of(TILE_M, TILE_N);
constexpr int tiles_down = square / TILE_M;
constexpr int tiles_across = square / TILE_N;

// The row of the square with this number: the largest r with r * (r + 1) / 2 <= number. The root of a float may be off
// by one, so it is set right.
__device__ inline int row_of_square(int number) {
  int row = static_cast<int>((sqrtf(8.0f * static_cast<float>(number) + 1.0f) - 1.0f) * 0.5f);
  while (static_cast<long long>(row) * (row + 1) / 2 > number) --row;
  while (static_cast<long long>(row + 1) * (row + 2) / 2 <= number) ++row;
  return row;
}

__device__ inline Place lower_tile_of_block(int block) {
  const int number = block / (tiles_down * tiles_across);
  const int within = block % (tiles_down * tiles_across);
  const int row = row_of_square(number);
  const int column = static_cast<int>(number - static_cast<long long>(row) * (row + 1) / 2);
  return {row * square + within / tiles_across * TILE_M, column * square + within % tiles_across * TILE_N};
}

__device__ inline void write_lower(float* c, int n, const Accumulator& sums, Place at, float alpha, float beta) {
  const bool vectors = n % run_n == 0;
#pragma unroll
  for (int i = 0; i < COARSENING_M; ++i) {
    const int row = at.row + row_offset(i);
    if (row >= n) continue;
#pragma unroll
    for (int j = 0; j < COARSENING_N; j += run_n) {
      const int column = at.column + column_offset(j);
      float* run = c + static_cast<long long>(row) * n + column;
      if (vectors && column + run_n - 1 <= row) {
        write_run<run_n>(run, &sums[i][j], alpha, beta);
      } else {
#pragma unroll
        for (int l = 0; l < run_n; ++l) {
          if (column + l <= row) write_run<1>(run + l, &sums[i][j + l], alpha, beta);
        }
      }
    }
  }
}

// a: n x k, c: n x n floats, row-major, aligned to 16 bytes. A block per tile of C.
extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS_PER_SM)
    syrk(const float* __restrict__ a, float* __restrict__ c, int n, int k, float alpha, float beta) {
  const int block = static_cast<int>(blockIdx.x);
  const Place at = triangle == Triangle::index ? lower_tile_of_block(block) : tile_of_block(block, n, n);
  if (at.column > at.row + TILE_M - 1 || at.row >= n) return;
  const Place mine = place_in_block();
  const Operands from{a, a, n, n, k, at, 0, k};
  Accumulator sums = {};
  if constexpr (algorithm == Algorithm::naive) {
    multiply_naively(sums, from, mine);
  } else {
    multiply_tiled(sums, from, mine);
  }
  if (static_cast<int>(threadIdx.x) >= slice_threads) return;
  write_lower(c, n, sums, {at.row + mine.row, at.column + mine.column}, alpha, beta);
}
