// The matrix in CSR: a row's nonzeros are starts[row] … starts[row + 1] - 1.
#pragma once

#include "window.cuh"

// THREADS_PER_ROW threads per row.
__device__ inline void multiply_rows(const Nonzeros& a, const int* starts, float* y, int rows) {
  const int row = row_of_thread();
  const int begin = row < rows ? starts[row] : 0;
  const int end = row < rows ? starts[row + 1] : 0;
  const float sum = row_sum(a, begin, 1, end - begin);
  if (leads_row() && row < rows) y[row] = sum;
}

// A thread's part of the nonzeros first, first + BLOCK_SIZE …, as it lies in registers on its way.
struct Batch {
  int columns[COARSENING];
  float values[COARSENING];

  __device__ void load(const Nonzeros& a, int first, int last) {
#pragma unroll
    for (int item = 0; item < COARSENING; ++item) {
      const int i = first + item * BLOCK_SIZE;
      if (i < last) {
        columns[item] = read_once(a.columns + i);
        values[item] = read_once(a.values + i);
      }
    }
  }

  // All of x is asked for before the first store, which might change what x points to, for all the compiler knows.
  __device__ void store_products(const Nonzeros& a, float* products, int first, int last) const {
    float own[COARSENING];
#pragma unroll
    for (int item = 0; item < COARSENING; ++item) {
      if (first + item * BLOCK_SIZE < last) own[item] = values[item] * a.x_at(columns[item]);
    }
#pragma unroll
    for (int item = 0; item < COARSENING; ++item) {
      if (first + item * BLOCK_SIZE < last) products[static_cast<int>(threadIdx.x) + item * BLOCK_SIZE] = own[item];
    }
  }
};

// A block takes BLOCK_SIZE / THREADS_PER_ROW rows, and their nonzeros tile by tile. With PREFETCH_TILES a tile's
// nonzeros are under way while the one before is added up, which needs no registers that its products do not leave.
__device__ inline void multiply_stream(Nonzeros a, const int* starts, const int* first_columns, const int* last_columns,
                                       float* y, int rows) {
  __shared__ float products[tile];
  __shared__ float window[x_memory == XMemory::shared ? window_floats : 1];
  constexpr int rows_of_block = BLOCK_SIZE / THREADS_PER_ROW;
  const int thread = static_cast<int>(threadIdx.x);
  const int first = static_cast<int>(blockIdx.x) * rows_of_block;
  const int row = first + thread / THREADS_PER_ROW;
  const int begin = starts[min(row, rows)];
  const int end = starts[min(row + 1, rows)];
  const int last = starts[min(first + rows_of_block, rows)];
  int from = starts[first];
  Batch batch;
  if constexpr (PREFETCH_TILES == 1) batch.load(a, from + thread, last);
  if constexpr (x_memory == XMemory::shared) {
    a.x = x_near(a.x, columns_of_rows(first_columns, last_columns, first, min(first + rows_of_block, rows)), window);
    __syncthreads();
  }
  float sum = 0.0f;
  for (; from < last; from += tile) {
    if constexpr (PREFETCH_TILES == 0) batch.load(a, from + thread, last);
    batch.store_products(a, products, from + thread, last);
    if constexpr (PREFETCH_TILES == 1) batch.load(a, from + tile + thread, last);
    __syncthreads();
    for (int i = max(begin, from) + thread % THREADS_PER_ROW; i < min(end, from + tile); i += THREADS_PER_ROW)
      sum += products[i - from];
    __syncthreads();
  }
  sum = sum_of_row_threads(sum);
  if (leads_row() && row < rows) y[row] = sum;
}

// The merge path walks down the row ends and along the nonzeros' numbers as a merge of both sorted lists would. Returns
// how many of `ends` lie on its first `diagonal` steps, from the nonzero `base` on.
__device__ inline int rows_on_path(const int* ends, int count, int nonzeros, int base, int diagonal) {
  int low = max(diagonal - nonzeros, 0);
  int high = min(diagonal, count);
  while (low < high) {
    const int middle = (low + high) / 2;
    if (ends[middle] <= base + diagonal - middle - 1) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// y is zero before: rows that several threads share are added up there. Within a warp neighbours that end in the same
// row add up first, so that a long row costs an addition per warp.
__device__ inline void add_unfinished(float* y, int rows, int row, float sum) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  sum = sum_within_row(sum, row);
  const int right_row = __shfl_down_sync(0xffffffffu, row, 1);
  if (row < rows && (lane == 31 || right_row != row) && sum != 0.0f) atomicAdd(y + row, sum);
}

__device__ inline void multiply_merge(const Nonzeros& a, const int* starts, float* y, int rows) {
  __shared__ float products[tile];
  __shared__ int ends[tile + 1];
  const int thread = static_cast<int>(threadIdx.x);
  const int nonzeros = starts[rows];
  const int path = rows + nonzeros;
  const int from = min(static_cast<int>(blockIdx.x) * tile, path);
  const int to = min(from + tile, path);
  const int first_row = rows_on_path(starts + 1, rows, nonzeros, 0, from);
  const int last_row = rows_on_path(starts + 1, rows, nonzeros, 0, to);
  const int first = from - first_row;
  const int count = to - last_row - first;
  for (int i = thread; i < count; i += BLOCK_SIZE) products[i] = a.product(first + i);
  for (int i = thread; i < last_row - first_row; i += BLOCK_SIZE) ends[i] = starts[first_row + i + 1];
  __syncthreads();

  const int diagonal = min(thread * COARSENING, to - from);
  int row = rows_on_path(ends, last_row - first_row, count, first, diagonal);
  int nonzero = diagonal - row;
  bool shared_with_left = diagonal > 0 || from > 0;
  float sum = 0.0f;
#pragma unroll
  for (int item = 0; item < COARSENING; ++item) {
    if (diagonal + item >= to - from) break;
    if (row < last_row - first_row && ends[row] <= first + nonzero) {
      if (shared_with_left) {
        atomicAdd(y + first_row + row, sum);
      } else {
        y[first_row + row] = sum;
      }
      shared_with_left = false;
      sum = 0.0f;
      ++row;
    } else {
      sum += products[nonzero++];
    }
  }
  add_unfinished(y, rows, first_row + row, sum);
}
