// The way of a warpgroup's sums to C. The parameters are described in kernel.cu.
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

// No read of C may pass a write to it, as far as the compiler knows, and each takes a trip to the memory. So pairs are
// read some at once: the first while the last multiplications are under way, and then twice as many as were written,
// whose registers are free.
constexpr int pairs_at_once = min_of(8, lane_pairs);
constexpr int reads = lane_pairs / pairs_at_once;
constexpr int reads_ahead = min_of(FLOATS ? 1 : 3, reads);
using PairsOfC = Floats<2>[pairs_at_once];

// at: the first element of C that the warpgroup computes. Rows of C are whole groups of eight columns here.
__device__ inline void read_pairs(PairsOfC& pairs, const Result& from, Place at, int first) {
#pragma unroll
  for (int i = 0; i < pairs_at_once; ++i) {
    const Place pair = place_of_pair(first + i);
    pairs[i] = {};
    if (from.beta != 0.0f && at.row + pair.row < from.m && at.column + pair.column < from.n)
      pairs[i] = *reinterpret_cast<const Floats<2>*>(from.at(at.row + pair.row, at.column + pair.column));
  }
}

__device__ inline void write_pairs(const PairsOfC& pairs, const Result& to, const GroupSums& sums, Place at,
                                   int first) {
#pragma unroll
  for (int i = 0; i < pairs_at_once; ++i) {
    const Place pair = place_of_pair(first + i);
    Floats<2> result;
    for (int j = 0; j < 2; ++j)
      result.at[j] = to.alpha * sum_of_pair(sums, first + i, j) + (to.beta != 0.0f ? to.beta * pairs[i].at[j] : 0.0f);
    if (at.row + pair.row < to.m && at.column + pair.column < to.n)
      *reinterpret_cast<Floats<2>*>(to.at(at.row + pair.row, at.column + pair.column)) = result;
  }
}

// What a tile's result depends on besides its sums: of C the first pairs.
struct ReadAhead {
  PairsOfC pairs[reads];

  __device__ void read(const Result& from, Place at) {
#pragma unroll
    for (int i = 0; i < reads_ahead; ++i) read_pairs(pairs[i], from, at, i * pairs_at_once);
  }
  __device__ void read(const Fused&, Place) {}
};

__device__ inline void write_tile(const Result& to, const GroupSums& sums, Place at, ReadAhead& ahead) {
#pragma unroll
  for (int i = 0; i < reads; ++i) {
    write_pairs(ahead.pairs[i], to, sums, at, i * pairs_at_once);
    const int next = i + reads_ahead;
    if (next < reads) read_pairs(ahead.pairs[next], to, at, next * pairs_at_once);
  }
}

__device__ inline void write_tile(const Fused& to, const GroupSums& sums, Place at, const ReadAhead&) {
  write_tile(to, sums, at);
}
