// The sums' way to C. The parameters are described in kernel.cu.
#pragma once

#include "fragments.cuh"

struct Result {
  float* c;
  int m;
  int n;
  float alpha;
  float beta;
};

template <int Width>
struct alignas(4 * Width) Pack {
  float at[Width];
};

// alpha * sums + beta * C for Width neighbours in a row of C, as far as they lie within it. C is not read where beta is
// zero, as in BLAS: it may hold NaNs then. C_ALIGNED neighbours (1, 2 or 4) may be written at once.
template <int Width>
__device__ inline void write_run(const Result& to, const float* sums, int row, int column) {
  constexpr int width = min_of(Width, C_ALIGNED);
#pragma unroll
  for (int first = 0; first < Width; first += width) {
    if (row >= to.m || column + first >= to.n) return;
    float* c = to.c + static_cast<long long>(row) * to.n + column + first;
    Pack<width> pack{};
    if (to.beta != 0.0f) pack = *reinterpret_cast<const Pack<width>*>(c);
#pragma unroll
    for (int j = 0; j < width; ++j) {
      pack.at[j] = to.alpha * sums[first + j] + (to.beta != 0.0f ? to.beta * pack.at[j] : 0.0f);
    }
    *reinterpret_cast<Pack<width>*>(c) = pack;
  }
}

// A lane holds two neighbours of each row: here in tile j, of the upper (half 0) or lower (1) eight rows of 16.
__device__ inline int column_of_pair(int j) {
  return j * 8 + lane_of_warp() % 4 * 2;
}

// at: the warp's first element of C.
__device__ inline void write_directly(const Result& to, const Sums& sums, Place at) {
#pragma unroll
  for (int i = 0; i < 2 * tiles_m; ++i) {
    const int row = at.row + i * 8 + lane_of_warp() / 4;
#pragma unroll
    for (int j = 0; j < tiles_n; ++j) {
      write_run<2>(to, &sums[i / 2][j][i % 2 * 2], row, at.column + column_of_pair(j));
    }
  }
}

// Each warp's 16 rows of sums in shared memory, as far apart that neither pairs nor whole rows meet in a bank.
constexpr int strip_pitch = WARP_N + 8;

__device__ inline void put_strip(float* strip, const float (&sums)[tiles_n][4]) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float* row = strip + (half * 8 + lane_of_warp() / 4) * strip_pitch;
#pragma unroll
    for (int j = 0; j < tiles_n; ++j) {
      *reinterpret_cast<Pack<2>*>(row + column_of_pair(j)) = {sums[j][half * 2], sums[j][half * 2 + 1]};
    }
  }
}

// Four neighbours a lane, so that a warp's stores are whole rows of its part of C.
__device__ inline void write_rows(const Result& to, const Sums& sums, Place at, float* shared) {
  constexpr int lanes_a_row = WARP_N / 4;
  constexpr int rows_at_once = 32 / lanes_a_row;
  const int down = lane_of_warp() / lanes_a_row;
  const int across = lane_of_warp() % lanes_a_row * 4;
  float* strip = shared + static_cast<int>(threadIdx.x) / 32 * (16 * strip_pitch);
#pragma unroll
  for (int i = 0; i < tiles_m; ++i) {
    __syncwarp();
    put_strip(strip, sums[i]);
    __syncwarp();
#pragma unroll
    for (int row = 0; row < 16; row += rows_at_once) {
      const Pack<4> pack = *reinterpret_cast<const Pack<4>*>(strip + (row + down) * strip_pitch + across);
      write_run<4>(to, pack.at, at.row + i * 16 + row + down, at.column + across);
    }
  }
}
