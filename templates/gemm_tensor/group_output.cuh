// The sums of 16-bit operands that a warpgroup has, on their way to C. The parameters are described in kernel.cu.
#pragma once

#include "group_tiles.cuh"
#include "output.cuh"

// Neighbours of C that are read before the first of them is written: each read takes a trip to the memory.
constexpr int read_at_once = min_of(16, TILE_N / 8);

// A lane's pairs of sums in one row; `column` is that of its first. Rows of C are whole groups of eight columns here.
__device__ inline void write_row(const Result& to, const float (&sums)[TILE_N / 2], int half, int row, int column) {
  float* c = to.c + static_cast<long long>(row) * to.n + column;
#pragma unroll
  for (int first = 0; first < TILE_N / 8; first += read_at_once) {
    Floats<2> packs[read_at_once] = {};
#pragma unroll
    for (int i = 0; i < read_at_once; ++i) {
      if (to.beta != 0.0f && column + (first + i) * 8 < to.n)
        packs[i] = *reinterpret_cast<const Floats<2>*>(c + (first + i) * 8);
    }
#pragma unroll
    for (int i = 0; i < read_at_once; ++i) {
      const float* sum = sums + (first + i) * 4 + half * 2;
      for (int j = 0; j < 2; ++j)
        packs[i].at[j] = to.alpha * sum[j] + (to.beta != 0.0f ? to.beta * packs[i].at[j] : 0.0f);
      if (column + (first + i) * 8 < to.n) *reinterpret_cast<Floats<2>*>(c + (first + i) * 8) = packs[i];
    }
  }
}

// at: the first element of C that the warpgroup computes.
__device__ inline void write_tile(const Result& to, const GroupSums& sums, Place at) {
  const int warp = static_cast<int>(threadIdx.x) % warpgroup / 32;
  const int row = at.row + warp * 16 + lane_of_warp() / 4;
#pragma unroll
  for (int i = 0; i < 2 * pieces; ++i) {
    const int mine = row + i / 2 * 64 + i % 2 * 8;
    if (mine < to.m) write_row(to, sums[i / 2], i % 2, mine, at.column + lane_of_warp() % 4 * 2);
  }
}
