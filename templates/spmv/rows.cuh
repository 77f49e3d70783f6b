// Formats that rearrange rows: ELL pads them to one length, JDS sorts them by theirs. Both lie in memory row by row, or
// column by column: then neighbouring threads, which have neighbouring rows, read neighbours.
#pragma once

#include "nonzeros.cuh"

// The first `width` nonzeros of each row; what is missing is padded with zeros. `stored` is the width in memory.
__device__ inline void multiply_ell(const Nonzeros& a, float* y, int rows, int width, int stored) {
  const int row = row_of_thread();
  const int first = layout == Layout::row ? row * stored : row;
  const int stride = layout == Layout::row ? 1 : rows;
  const float sum = row_sum(a, first, stride, row < rows ? width : 0);
  if (leads_row() && row < rows) y[row] = sum;
}

// Nonzeros `first` on of a row, by one thread: the k-th lies in the k-th diagonal, at the row's place there.
__device__ inline float sum_along_diagonals(const Nonzeros& a, const int* diagonals, int place, int count) {
  float sum = 0.0f;
  int k = 0;
  for (; k + COARSENING <= count; k += COARSENING) {
    float products[COARSENING];
#pragma unroll
    for (int item = 0; item < COARSENING; ++item) products[item] = a.product(diagonals[k + item] + place);
#pragma unroll
    for (int item = 0; item < COARSENING; ++item) sum += products[item];
  }
  for (; k < count; ++k) sum += a.product(diagonals[k] + place);
  return sum;
}

// Rows from the longest to the shortest: sorted_rows says which they are, sorted_starts where they begin if the matrix
// lies row by row, diagonals where each column of all of them does if not.
__device__ inline void multiply_jds(const Nonzeros& a, const int* sorted_rows, const int* sorted_starts,
                                    const int* diagonals, float* y, int rows) {
  const int place = row_of_thread();
  const int first = place < rows ? sorted_starts[place] : 0;
  const int count = place < rows ? sorted_starts[place + 1] - first : 0;
  const float sum =
      layout == Layout::row ? row_sum(a, first, 1, count) : sum_along_diagonals(a, diagonals, place, count);
  if (leads_row() && place < rows) y[sorted_rows[place]] = sum;
}
