// The operands of a block's products, and how they come to shared memory. The parameters are described in kernel.cu.
#pragma once

#include <warptune/device/async_copy.cuh>
#include <warptune/device/vectors.cuh>

using warptune::device::Pack;

enum class Copy { registers, async };

constexpr Copy copy = Copy::COPY;

__host__ __device__ constexpr int min_of(int a, int b) {
  return a < b ? a : b;
}
__host__ __device__ constexpr int round_up(int value, int unit) {
  return (value + unit - 1) / unit * unit;
}
// The widest vector, up to four floats, of which `length` is whole ones.
__host__ __device__ constexpr int vector_of(int length) {
  return length % 4 == 0 ? 4 : length % 2 == 0 ? 2 : 1;
}

constexpr int parts_down = (SIZE_M - 1) / COARSENING_M + 1;
constexpr int parts_across = (SIZE_N - 1) / COARSENING_N + 1;
constexpr int threads_of_product = parts_down * parts_across;
constexpr int threads = MATRICES * threads_of_product;

// In shared memory rows are as long and as many as the threads' parts read. What lies beyond the matrix is never set:
// it meets nothing but sums that are not written.
constexpr int a_pitch = SIZE_K + PADDING;
constexpr int b_pitch = round_up(SIZE_N, COARSENING_N);
constexpr int a_floats = round_up(parts_down * COARSENING_M * a_pitch, 4);
constexpr int b_floats = round_up(SIZE_K * b_pitch, 4);

// Floats that one access to shared memory or to C moves.
constexpr int a_vector = min_of(vector_of(SIZE_K), vector_of(a_pitch));
constexpr int b_vector = min_of(vector_of(COARSENING_N), vector_of(b_pitch));
constexpr int c_vector = min_of(vector_of(COARSENING_N), vector_of(SIZE_N));

// Matrices of rows x columns: in memory packed, in shared memory `pitch` from row to row and `floats` from one to the
// next.
template <int Rows, int Columns, int Pitch, int Floats>
struct Operand {
  static constexpr int columns = Columns;
  static constexpr int length = Rows * Columns;
  static constexpr int width = min_of(VECTOR_WIDTH, min_of(vector_of(Columns), vector_of(Pitch)));  // a row's vectors

  __device__ static int place(int element) {
    const int within = element % length;
    return element / length * Floats + within / Columns * Pitch + within % Columns;
  }
};
using OperandA = Operand<SIZE_M, SIZE_K, a_pitch, a_floats>;
using OperandB = Operand<SIZE_K, SIZE_N, b_pitch, b_floats>;

template <class Operand>
__device__ inline void copy_operands(float* shared, const float* from, int count) {
  constexpr int width = Operand::width;
#pragma unroll 4
  for (int i = static_cast<int>(threadIdx.x) * width; i < MATRICES * Operand::length; i += threads * width) {
    if (i >= count * Operand::length) break;
    float* to = shared + Operand::place(i);
    if constexpr (copy == Copy::async) {
      warptune::device::copy_async<4 * width>(to, from + i);
    } else {
      *reinterpret_cast<Pack<float, width>*>(to) = *reinterpret_cast<const Pack<float, width>*>(from + i);
    }
  }
}

__device__ inline void wait_for_operands() {
  if constexpr (copy == Copy::async) {
    warptune::device::commit_copies();
    warptune::device::wait_for_copies<0>();
  }
  __syncthreads();
}
