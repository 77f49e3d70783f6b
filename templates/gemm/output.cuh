// Which tile of C a block computes, and how its sums get there. The parameters are described in kernel.cu.
#pragma once

#include "product.cuh"

// The first element of the tile of C with this number. Blocks walk RASTER_GROUP tile rows together, column by column:
// those in flight then share rows of A and columns of B in the L2 cache.
__device__ inline Place tile_of_block(int block, int m, int n) {
  const int tiles_m = (m - 1) / TILE_M + 1;
  const int tiles_n = (n - 1) / TILE_N + 1;
  const int group = block / (RASTER_GROUP * tiles_n);
  const int rest = block - group * (RASTER_GROUP * tiles_n);
  const int height = min_of(tiles_m - group * RASTER_GROUP, RASTER_GROUP);
  return {(group * RASTER_GROUP + rest % height) * TILE_M, rest / height * TILE_N};
}

// C is not read where beta is zero, as in BLAS: it may hold NaNs then.
template <int Width>
__device__ inline Pack<Width> read_run(const Element* c, Element beta) {
  Pack<Width> old{};
  if (beta != Element(0)) old = load<Width>(c);
  return old;
}

template <int Width>
__device__ inline void write_run(Element* c, const Element* sums, const Pack<Width>& old, Element alpha, Element beta) {
  Pack<Width> result;
#pragma unroll
  for (int j = 0; j < Width; ++j) result.at[j] = alpha * sums[j] + (beta != Element(0) ? beta * old.at[j] : Element(0));
  *reinterpret_cast<Pack<Width>*>(c) = result;
}

template <int Width>
__device__ inline void write_run(Element* c, const Element* sums, Element alpha, Element beta) {
  write_run<Width>(c, sums, read_run<Width>(c, beta), alpha, beta);
}

// A thread's sums are runs of neighbours in C, numbered row by row: where in its tile a run lies.
constexpr int runs_per_row = COARSENING_N / run_n;
constexpr int runs = COARSENING_M * runs_per_row;

__device__ inline Place place_of_run(Place at, int number) {
  return {at.row + row_offset(number / runs_per_row), at.column + column_offset(number % runs_per_row * run_n)};
}

__device__ inline const Element* sums_of_run(const Accumulator& sums, int number) {
  return &sums[number / runs_per_row][number % runs_per_row * run_n];
}

// Several runs are read before the first is written: the compiler cannot know that rows do not overlap, and would wait
// for each before it asks for the next.
__device__ inline void write_vectors(Element* c, int m, int n, const Accumulator& sums, Place at, Element alpha,
                                     Element beta) {
  constexpr int at_once = min_of(runs, 4);
#pragma unroll
  for (int first = 0; first < runs; first += at_once) {
    Pack<run_n> old[at_once];
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      const Place place = place_of_run(at, first + i);
      if (place.row < m && place.column < n)
        old[i] = read_run<run_n>(c + static_cast<long long>(place.row) * n + place.column, beta);
    }
#pragma unroll
    for (int i = 0; i < at_once; ++i) {
      const Place place = place_of_run(at, first + i);
      Element* run = c + static_cast<long long>(place.row) * n + place.column;
      if (place.row < m && place.column < n) write_run<run_n>(run, sums_of_run(sums, first + i), old[i], alpha, beta);
    }
  }
}

__device__ inline void write_elements(Element* c, int m, int n, const Accumulator& sums, Place at, Element alpha,
                                      Element beta) {
#pragma unroll
  for (int i = 0; i < COARSENING_M; ++i) {
    const int row = at.row + row_offset(i);
    if (row >= m) continue;
#pragma unroll
    for (int j = 0; j < COARSENING_N; ++j) {
      const int column = at.column + column_offset(j);
      if (column < n) write_run<1>(c + static_cast<long long>(row) * n + column, &sums[i][j], alpha, beta);
    }
  }
}

__device__ inline void write_sums(Element* c, int m, int n, const Accumulator& sums, Place at, Element alpha,
                                  Element beta) {
#ifdef C_ALIGNED  // known when this is compiled, as ROWS_ALIGNED (operands.cuh)
  constexpr bool vectors = C_ALIGNED;
#else
  const bool vectors = n % run_n == 0;
#endif
  if (vectors) {
    write_vectors(c, m, n, sums, at, alpha, beta);
  } else {
    write_elements(c, m, n, sums, at, alpha, beta);
  }
}
