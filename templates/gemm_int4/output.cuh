// The sums' way to D. The parameters are described in kernel.cu.
#pragma once

#include <warptune/device/dependent_launch.cuh>
#include <warptune/device/vectors.cuh>

#include "problem.cuh"

// Neighbours in a row that are written together where N allows it.
constexpr int run = 4;
using Run = warptune::device::Pack<float, run>;

// A row's neighbours from `column` on, as far as they lie in the matrix.
template <class Number, class Convert>
__device__ inline void write_run(Number* matrix, int m, int n, int row, int column, const Run& sums,
                                 const Convert& convert) {
  if (row >= m) return;
  Number* to = matrix + static_cast<long long>(row) * n + column;
  if constexpr (D_ALIGNED == run) {
    warptune::device::Pack<Number, run> pack;
#pragma unroll
    for (int i = 0; i < run; ++i) pack.at[i] = convert(sums.at[i]);
    if (column < n) *reinterpret_cast<warptune::device::Pack<Number, run>*>(to) = pack;
  } else {
#pragma unroll
    for (int i = 0; i < run; ++i) {
      if (column + i < n) to[i] = convert(sums.at[i]);
    }
  }
}

__device__ inline void write_rounded(const Result& to, int row, int column, const Run& sums) {
  write_run(to.d, to.m, to.n, row, column, sums, [](float sum) { return warptune::device::from_float<format>(sum); });
}

__device__ inline void write_part(const Result& to, int part, int row, int column, const Run& sums) {
  write_run(to.parts + static_cast<long long>(part) * to.m * to.n, to.m, to.n, row, column, sums,
            [](float sum) { return sum; });
}

// Adds up what all blocks have left of a run, always in the same order.
__device__ inline void add_parts(const Result& to, int row, int column) {
  if (row >= to.m || column >= to.n) return;
  Run sums{};
#pragma unroll
  for (int part = 0; part < SPLIT_K; ++part) {
    const float* from = to.parts + (static_cast<long long>(part) * to.m + row) * to.n + column;
    if constexpr (D_ALIGNED == run) {
      const Run more = *reinterpret_cast<const Run*>(from);
#pragma unroll
      for (int i = 0; i < run; ++i) sums.at[i] += more.at[i];
    } else {
#pragma unroll
      for (int i = 0; i < run; ++i) sums.at[i] += column + i < to.n ? from[i] : 0.0f;
    }
  }
  write_rounded(to, row, column, sums);
}

// Whether all blocks of the tile have left their parts. The ticket wraps around to zero at the last.
__device__ inline bool is_last_of_tile(unsigned* ticket) {
  __shared__ bool is_last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicInc(ticket, SPLIT_K - 1) == SPLIT_K - 1;
  __syncthreads();
  if (is_last) __threadfence();
  return is_last;
}

// By all of a block's threads.
template <int Threads>
__device__ inline void finish_tile(const Result& to, Place at, int tile) {
  if (!is_last_of_tile(to.tickets + tile)) return;
  constexpr int per_row = TILE_N / run;
  const int count = min_of(TILE_M, to.m - at.row) * per_row;
#pragma unroll 4
  for (int i = static_cast<int>(threadIdx.x); i < count; i += Threads) {
    add_parts(to, at.row + i / per_row, at.column + i % per_row * run);
  }
}
