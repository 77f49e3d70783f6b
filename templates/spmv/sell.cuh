// SELL-32-1024 with short columns: rows are sorted by length within groups of 1,024, and 32 of them at a time are
// padded to the longest and stored column by column. In a band the columns of a group lie near each other. So a column
// is 16 bits from the group's first one on, which saves a quarter of what CSR reads, and a block may copy that window
// of x to shared memory. Kreutzer, Hager, Wellein, Fehske & Bishop, "A Unified Sparse Matrix Data Format for Efficient
// General Sparse Matrix-Vector Multiplication on Modern Processors with Wide SIMD Units" (SIAM J. Sci. Comput., 2014)
// is the format's source; Willcock & Lumsdaine, "Accelerating Sparse Matrix Computations via Data Compression" (ICS
// 2006), that of shorter columns.
#pragma once

#include "nonzeros.cuh"

constexpr int sell_group = 1024;   // rows that are sorted together, as sell.cpp has them
constexpr int sell_chunk = 32;     // rows that have one length: a warp's
constexpr int sell_window = 6144;  // floats: a group's rows, the 4,001 columns of a scattered band, and room
constexpr int sell_warps = BLOCK_SIZE / sell_chunk;

struct SellGroups {
  const int* first_columns;       // of each group; before the matrix' first column they wrap around
  const int* widths;              // columns from there to the group's last one
  const int* starts;              // of the chunks; one more than there are
  const unsigned short* rows;     // within the group, from the longest to the shortest
  const unsigned short* columns;  // from the group's first one
  const float* values;
};

// x as a group sees it: from its first column on, around the matrix' end.
struct SellX {
  const float* x;
  int first;
  int columns;

  __device__ float operator[](int i) const {
    const int column = first + i;
    return read_often(x + (column < 0 ? column + columns : column >= columns ? column - columns : column));
  }
};

// A lane has a row: its nonzeros `from`, from + 32 … before `end`, COARSENING of them under way at once.
template <class X>
__device__ inline float sum_of_sell_row(const SellGroups& a, const X& x, int from, int end) {
  float sum = 0.0f;
  for (; from < end; from += sell_chunk * COARSENING) {
    int columns[COARSENING];
    float values[COARSENING];
#pragma unroll
    for (int item = 0; item < COARSENING; ++item) {
      const int i = from + item * sell_chunk;
      columns[item] = i < end ? read_once(a.columns + i) : 0;
      values[item] = i < end ? read_once(a.values + i) : 0.0f;
    }
#pragma unroll
    for (int item = 0; item < COARSENING; ++item)
      if (from + item * sell_chunk < end) sum += values[item] * x[columns[item]];
  }
  return sum;
}

// Chunk `turn` of a warp: forwards and backwards in turns, as the first chunks are the longest.
__device__ inline int chunk_of_warp(int turn) {
  const int warp = static_cast<int>(threadIdx.x) / sell_chunk;
  return turn * sell_warps + (turn % 2 == 0 ? warp : sell_warps - 1 - warp);
}

template <class X>
__device__ inline void sum_sell_group(const SellGroups& a, const X& x, int group, float* sums) {
  const int lane = static_cast<int>(threadIdx.x) % sell_chunk;
#pragma unroll 1
  for (int turn = 0; turn < sell_group / BLOCK_SIZE; ++turn) {
    const int chunk = group * (sell_group / sell_chunk) + chunk_of_warp(turn);
    const int row = a.rows[chunk * sell_chunk + lane];
    sums[row] = sum_of_sell_row(a, x, a.starts[chunk] + lane, a.starts[chunk + 1]);
  }
}

// A block has a group. Its sums go through shared memory, so that y is written in the order of the rows.
__device__ inline void multiply_sell(const SellGroups& a, const float* x, float* y, int rows) {
  __shared__ float sums[sell_group];
  __shared__ float window[x_memory == XMemory::shared ? sell_window : 1];
  const int group = static_cast<int>(blockIdx.x);
  const SellX far{x, a.first_columns[group], rows};
  if constexpr (x_memory == XMemory::shared) {
    const int width = a.widths[group];
    for (int i = static_cast<int>(threadIdx.x); i < width; i += BLOCK_SIZE) window[i] = far[i];
    __syncthreads();
    sum_sell_group(a, static_cast<const float*>(window), group, sums);
  } else {
    sum_sell_group(a, far, group, sums);
  }
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < sell_group && group * sell_group + i < rows; i += BLOCK_SIZE)
    y[group * sell_group + i] = sums[i];
}
