// The sums' way to C. The parameters are described in kernel.cu.
#pragma once

#include <warptune/device/vectors.cuh>

#include "fragments.cuh"

struct Result {
  float* c;
  int m;
  int n;
  float alpha;
  float beta;

  __device__ float* at(int row, int column) const { return c + static_cast<long long>(row) * n + column; }
  // What is read of C before it is written.
  __device__ bool reads_rows() const { return beta != 0.0f; }
  __device__ const float* rows() const { return c; }
};

template <int Width>
using Floats = warptune::device::Pack<float, Width>;

// Width neighbours in a row of C, as far as they lie within it, C_ALIGNED (1, 2 or 4) by one access. C is not read
// where beta is zero, as in BLAS: it may hold NaNs then.
template <int Width>
__device__ inline void read_run(float* values, const Result& from, int row, int column) {
  constexpr int width = min_of(Width, C_ALIGNED);
#pragma unroll
  for (int first = 0; first < Width; first += width) {
    Floats<width> pack{};
    if (from.beta != 0.0f && row < from.m && column + first < from.n) {
      pack = *reinterpret_cast<const Floats<width>*>(from.at(row, column + first));
    }
#pragma unroll
    for (int j = 0; j < width; ++j) values[first + j] = pack.at[j];
  }
}

template <int Width>
__device__ inline void write_run(const Result& to, const float* sums, const float* before, int row, int column) {
  constexpr int width = min_of(Width, C_ALIGNED);
#pragma unroll
  for (int first = 0; first < Width; first += width) {
    if (row >= to.m || column + first >= to.n) return;
    Floats<width> pack;
#pragma unroll
    for (int j = 0; j < width; ++j) pack.at[j] = to.alpha * sums[first + j] + to.beta * before[first + j];
    *reinterpret_cast<Floats<width>*>(to.at(row, column + first)) = pack;
  }
}

// A lane holds two neighbours of each row: here in tile j, of the upper (half 0) or lower (1) eight rows of 16.
__device__ inline int column_of_pair(int j) {
  return j * 8 + lane_of_warp() % 4 * 2;
}

// at: the warp's first element of C. Of 16 rows all reads are on their way before the first write, which the compiler
// must not change places with.
__device__ inline void write_directly(const Result& to, const Sums& sums, Place at) {
#pragma unroll
  for (int i = 0; i < tiles_m; ++i) {
    const int row = at.row + i * 16 + lane_of_warp() / 4;
    float before[2 * tiles_n][2];
#pragma unroll
    for (int j = 0; j < 2 * tiles_n; ++j) {
      read_run<2>(before[j], to, row + j % 2 * 8, at.column + column_of_pair(j / 2));
    }
#pragma unroll
    for (int j = 0; j < 2 * tiles_n; ++j) {
      write_run<2>(to, &sums[i][j / 2][j % 2 * 2], before[j], row + j % 2 * 8, at.column + column_of_pair(j / 2));
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
      *reinterpret_cast<Floats<2>*>(row + column_of_pair(j)) = {sums[j][half * 2], sums[j][half * 2 + 1]};
    }
  }
}

// Four neighbours a lane, so that a warp's stores are whole rows of its part of C.
__device__ inline void write_rows(const Result& to, const Sums& sums, Place at, float* shared) {
  constexpr int lanes_a_row = WARP_N / 4;
  constexpr int rows_at_once = 32 / lanes_a_row;
  constexpr int count = 16 / rows_at_once;
  const int down = lane_of_warp() / lanes_a_row;
  const int across = lane_of_warp() % lanes_a_row * 4;
  float* strip = shared + static_cast<int>(threadIdx.x) / 32 * (16 * strip_pitch);
#pragma unroll
  for (int i = 0; i < tiles_m; ++i) {
    const int row = at.row + i * 16 + down;
    float before[count][4];
#pragma unroll
    for (int j = 0; j < count; ++j) read_run<4>(before[j], to, row + j * rows_at_once, at.column + across);
    __syncwarp();
    put_strip(strip, sums[i]);
    __syncwarp();
#pragma unroll
    for (int j = 0; j < count; ++j) {
      const Floats<4> pack =
          *reinterpret_cast<const Floats<4>*>(strip + (j * rows_at_once + down) * strip_pitch + across);
      write_run<4>(to, pack.at, before[j], row + j * rows_at_once, at.column + across);
    }
  }
}
