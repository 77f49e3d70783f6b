// The way of a warpgroup's sums to C, or of TF32's to D, in pairs. The parameters are described in kernel.cu.
#pragma once

#if FLOATS
#include "float_tiles.cuh"
#else
#include "group_tiles.cuh"
#endif
#include "output.cuh"

// A lane holds pairs of neighbours in rows of C: where they lie, from the first element on that the warpgroup computes,
// and its sums.
#if FLOATS
constexpr int lane_pairs = pieces * lane_rows;
__device__ inline Place place_of_pair(int i) {
  return {row_of_lane(i % lane_rows), i / lane_rows * 64 + warp_of_group() * warp_columns + column_of_lane()};
}
__device__ inline float sum_of_pair(const GroupSums& sums, int i, int j) {
  return sums[i / lane_rows][i % lane_rows / 2 * 4 + i % 2 + 2 * j];
}
#else
constexpr int pairs_of_row = TILE_N / 8;
constexpr int lane_pairs = 2 * pieces * pairs_of_row;
__device__ inline Place place_of_pair(int i) {
  const int line = i / pairs_of_row;
  const int warp = static_cast<int>(threadIdx.x) % warpgroup / 32;
  return {line / 2 * 64 + warp * 16 + line % 2 * 8 + lane_of_warp() / 4, i % pairs_of_row * 8 + lane_of_warp() % 4 * 2};
}
__device__ inline float sum_of_pair(const GroupSums& sums, int i, int j) {
  return sums[i / pairs_of_row / 2][i % pairs_of_row * 4 + i / pairs_of_row % 2 * 2 + j];
}
#endif

// No read of C may pass a write to it, as far as the compiler knows, and each takes a trip to the memory. So some pairs
// are always on their way: the first while the last multiplications are, the others when as many have been written. A
// residual is read in the same way.
constexpr int pairs_at_once = min_of(8, lane_pairs);
constexpr int reads = lane_pairs / pairs_at_once;
constexpr int reads_ahead = min_of(FLOATS ? 1 : 3, reads);
using Pairs = Floats<2>[pairs_at_once];

struct ReadAhead {
  Pairs pairs[reads];

  // at: the first element that the warpgroup computes. Rows are whole groups of eight columns here.
  template <class To>
  __device__ void read_pairs(const To& to, Place at, int number) {
    if (number >= reads) return;
#pragma unroll
    for (int i = 0; i < pairs_at_once; ++i) {
      const Place pair = place_of_pair(number * pairs_at_once + i);
      const int row = at.row + pair.row, column = at.column + pair.column;
      pairs[number][i] = {};
      if (to.reads_rows() && row < to.m && column < to.n)
        pairs[number][i] = *reinterpret_cast<const Floats<2>*>(to.rows() + static_cast<long long>(row) * to.n + column);
    }
  }
  template <class To>
  __device__ void read(const To& to, Place at) {
#pragma unroll
    for (int i = 0; i < reads_ahead; ++i) read_pairs(to, at, i);
  }
};

__device__ inline void write_pairs(const Pairs& before, const Result& to, const GroupSums& sums, Place at, int first) {
#pragma unroll
  for (int i = 0; i < pairs_at_once; ++i) {
    const Place pair = place_of_pair(first + i);
    const int row = at.row + pair.row, column = at.column + pair.column;
    Floats<2> result;
    for (int j = 0; j < 2; ++j)
      result.at[j] = to.alpha * sum_of_pair(sums, first + i, j) + (to.beta != 0.0f ? to.beta * before[i].at[j] : 0.0f);
    if (row < to.m && column < to.n) *reinterpret_cast<Floats<2>*>(to.at(row, column)) = result;
  }
}

#if FLOATS
// Of TF32's pairs in two rows below each other: four numbers of D or, of swiglu, two.
__device__ inline void write_four(const Fused& to, float (&values)[4], int row, int column) {
  const long long pitch = to.n / columns_per_result;
  if constexpr (fusion == Fusion::swiglu) {
    float passed[4] = {values[1], values[3]};
    pass_gates(passed, {values[0], values[2], 0.0f, 0.0f});
    for (int i = 0; i < 2; ++i)
      if (row + i < to.m && column < to.n) to.d[(row + i) * pitch + column / 2] = passed[i];
  } else {
    for (int i = 0; i < 2; ++i)
      if (row + i < to.m && column < to.n)
        *reinterpret_cast<Floats<2>*>(to.d + (row + i) * pitch + column) = {values[2 * i], values[2 * i + 1]};
  }
}

__device__ inline void write_pairs(const Pairs& before, const Fused& to, const GroupSums& sums, Place at, int first) {
#pragma unroll
  for (int i = 0; i < pairs_at_once; i += 2) {
    const Place pair = place_of_pair(first + i);
    const int row = at.row + pair.row, column = at.column + pair.column;
    const float upper = scale_of(to, row), lower = scale_of(to, row + 1);
    float values[4], bias[4] = {};
    for (int j = 0; j < 4; ++j) {
      values[j] = sum_of_pair(sums, first + i + j / 2, j % 2);
      if (has_bias && column < to.n) bias[j] = __ldg(to.vector + column + j % 2);
    }
    fuse(values, to.alpha, bias, {upper, upper, lower, lower});
    if constexpr (fusion == Fusion::residual)
      for (int j = 0; j < 4; ++j) values[j] += before[i + j / 2].at[j % 2];
    write_four(to, values, row, column);
  }
}
#endif

template <class To>
__device__ inline void write_tile(const To& to, const GroupSums& sums, Place at, ReadAhead& ahead, Window) {
#pragma unroll
  for (int i = 0; i < reads; ++i) {
    write_pairs(ahead.pairs[i], to, sums, at, i * pairs_at_once);
    ahead.read_pairs(to, at, i + reads_ahead);
  }
}
