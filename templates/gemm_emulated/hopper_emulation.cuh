// Multiplications of warpgroups on the host, as the PTX ISA manual describes them.
#pragma once

#include "rounding.cuh"

namespace emulation_of_hopper {

// The eight words of a row: two pieces.
__device__ inline const unsigned* piece_of_row(unsigned long long matrix, int row, int piece) {
  const auto line = static_cast<unsigned>(row);
  return reinterpret_cast<const unsigned*>(pointer_to(bytes_of_field(matrix, 0) +
                                                      line / 8 * bytes_of_field(matrix, 32) + line % 8 * 16 +
                                                      static_cast<unsigned>(piece) * bytes_of_field(matrix, 16)));
}

__device__ inline void read_row(float (&row_of)[step_k], unsigned long long matrix, int row) {
  for (int i = 0; i < step_k; ++i) {
    const int word = i / per_word;
    row_of[i] = element_of_word(piece_of_row(matrix, row, word / 4)[word % 4], i % per_word);
  }
}

// This thread's part of 64 x columns sums.
__device__ __noinline__ void multiply(float* sums, int columns, unsigned long long a, unsigned long long b, bool add) {
  const int thread = static_cast<int>(threadIdx.x) % 128;
  float rows[2][step_k];
  for (int half = 0; half < 2; ++half) read_row(rows[half], a, thread / 32 * 16 + thread % 32 / 4 + half * 8);
  for (int i = 0; i < columns / 8; ++i) {
    for (int j = 0; j < 2; ++j) {
      float column[step_k];
      read_row(column, b, 8 * i + thread % 4 * 2 + j);
      for (int half = 0; half < 2; ++half) {
        float& sum = sums[4 * i + 2 * half + j];
        sum = add_products(add ? sum : 0.0f, rows[half], column);
      }
    }
  }
}

struct Multiplication {
  float* sums;
  int columns;
  unsigned long long a, b;
  bool add;

  __device__ void run() const { multiply(sums, columns, a, b, add); }
};

}  // namespace emulation_of_hopper

using Pending = StartedProducts<emulation_of_hopper::Multiplication, 96>;

template <int Count>
__device__ inline void multiply(Pending& pending, float (&sums)[Count], unsigned long long a, unsigned long long b,
                                bool add) {
  pending.add({sums, 2 * Count, a, b, add});
}
