// Columns of neighbouring rows are often near each other. Then a block copies that part of x to shared memory:
// gathering 32 scattered floats from there costs as many steps as the fullest bank has, 3 or 4, and from L1 one per
// cache line.
#pragma once

#include "nonzeros.cuh"

constexpr int window_floats = 5120;  // 20 KiB: 8 blocks of 256 threads per multiprocessor leave L1 more than half
constexpr int window_rows = 32;      // rows that share a known range of columns

struct Range {
  int first, last;  // last is included; none: first > last
};

// The columns of a block's rows: at most 32 ranges of window_rows rows each, of which every warp takes the union.
__device__ inline Range columns_of_rows(const int* first_columns, const int* last_columns, int first_row, int end_row) {
  Range range{0x7fffffff, -1};
  const int i = first_row / window_rows + static_cast<int>(threadIdx.x) % 32;
  if (i * window_rows < end_row) range = {first_columns[i], last_columns[i]};
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    range.first = min(range.first, __shfl_xor_sync(0xffffffffu, range.first, offset));
    range.last = max(range.last, __shfl_xor_sync(0xffffffffu, range.last, offset));
  }
  return range;
}

// x as the block shall read it: in shared memory once the block has met, or where it is if the range is too wide.
__device__ inline const float* x_near(const float* x, Range range, float* window) {
  if (range.first > range.last || range.last - range.first >= window_floats) return x;
  for (int i = static_cast<int>(threadIdx.x); i <= range.last - range.first; i += BLOCK_SIZE) {
    window[i] = x[range.first + i];
  }
  return window - range.first;
}
