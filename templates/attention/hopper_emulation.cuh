// Multiplications of warpgroups and their turns on the host, as the PTX ISA manual describes them.
#pragma once

#include "numbers.cuh"

// `barrier` is made for 256 arrivals.
__device__ WARPTUNE_UNTRACKED inline void wait_for_turn(Window barrier, int) {
  const unsigned parity = emulated_copies::barrier_at(barrier).phase % 2;
  arrive(barrier);
  wait_for_phase(barrier, parity);
}
__device__ inline void give_turn(Window barrier, int) {
  arrive(barrier);
}

namespace emulation {

template <NumberFormat format>
__device__ inline float element_at(unsigned long long place) {
  const Window swizzled = static_cast<Window>(warptune_host::swizzled(place, 128));
  return to_float<format>(*reinterpret_cast<const unsigned short*>(pointer_to(swizzled)));
}

// Of a matrix whose lines are along the depth k: line `row`.
template <NumberFormat format>
__device__ inline float along_lines(unsigned long long matrix, int row, int k) {
  const auto line = static_cast<unsigned>(row);
  return element_at<format>(bytes_of_field(matrix, 0) + line / 8 * bytes_of_field(matrix, 32) + line % 8 * 128 +
                            static_cast<unsigned>(k) * 2);
}

// Of one whose lines are along the columns: line k.
template <NumberFormat format>
__device__ inline float across_lines(unsigned long long matrix, int k, int column) {
  const auto line = static_cast<unsigned>(k), n = static_cast<unsigned>(column);
  return element_at<format>(bytes_of_field(matrix, 0) + line / 8 * bytes_of_field(matrix, 32) + line % 8 * 128 +
                            n / 64 * bytes_of_field(matrix, 16) + n % 64 * 2);
}

// A multiplication that was started. A lane's two rows of the left operand, once they are known, have 16 numbers each.
struct Multiplication {
  float* sums;
  int columns;
  unsigned long long a, b;
  bool add;
  float left[2][16];
  void (*compute)(Multiplication&);

  __device__ void run() { compute(*this); }
};

// This thread's part of 64 x columns sums; the right operand's element is right(k, column).
template <class Right>
__device__ inline void add_products(Multiplication& of, const Right& right) {
  for (int i = 0; i < of.columns / 8; ++i)
    for (int j = 0; j < 2; ++j) {
      const int column = 8 * i + static_cast<int>(threadIdx.x) % 4 * 2 + j;
      float* sums[2] = {of.sums + 4 * i + j, of.sums + 4 * i + 2 + j};
      for (int half = 0; half < 2; ++half)
        if (!of.add) *sums[half] = 0;
      for (int k = 0; k < 16; ++k) {
        const float element = right(k, column);
        for (int half = 0; half < 2; ++half) *sums[half] += of.left[half][k] * element;
      }
    }
}

template <NumberFormat format>
__device__ __noinline__ void multiply_lines(Multiplication& of) {
  const int thread = static_cast<int>(threadIdx.x) % 128;
  for (int half = 0; half < 2; ++half)
    for (int k = 0; k < 16; ++k)
      of.left[half][k] = along_lines<format>(of.a, thread / 32 * 16 + thread % 32 / 4 + half * 8, k);
  add_products(of, [&](int k, int column) { return along_lines<format>(of.b, column, k); });
}

template <NumberFormat format>
__device__ __noinline__ void multiply_registers(Multiplication& of) {
  add_products(of, [&](int k, int column) { return across_lines<format>(of.b, k, column); });
}

}  // namespace emulation

using Pending = StartedProducts<emulation::Multiplication, 32>;

template <NumberFormat format, int Count>
__device__ inline void multiply(Pending& pending, float (&sums)[Count], unsigned long long a, unsigned long long b,
                                bool add) {
  pending.add({sums, 2 * Count, a, b, add, {}, emulation::multiply_lines<format>});
}

// The words of the left operand are collected from the lanes that hold them when the multiplication is started.
template <NumberFormat format, int Count>
__device__ inline void multiply(Pending& pending, float (&sums)[Count], const unsigned (&a)[4], unsigned long long b,
                                bool add) {
  emulation::Multiplication started = {sums, 2 * Count, 0, b, add, {}, emulation::multiply_registers<format>};
  const int lane = static_cast<int>(threadIdx.x) % 32;
  for (int t = 0; t < 4; ++t)
    for (int word = 0; word < 4; ++word) {
      const unsigned theirs = __shfl_sync(0xffffffffu, a[word], lane / 4 * 4 + t);
      float* place = started.left[word % 2] + word / 2 * 8 + 2 * t;
      place[0] = to_float<format>(static_cast<unsigned short>(theirs & 0xffff));
      place[1] = to_float<format>(static_cast<unsigned short>(theirs >> 16));
    }
  pending.add(started);
}
