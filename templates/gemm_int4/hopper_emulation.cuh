// Multiplications of warpgroups on the host, as the PTX ISA manual describes them.
#pragma once

#include "problem.cuh"

namespace emulation {

// The right operand's element, of a matrix whose lines are along the depth k, one for each column of the product.
__device__ inline float element_of(unsigned long long matrix, int column, int k) {
  const auto line = static_cast<unsigned>(column);
  const unsigned place =
      bytes_of_field(matrix, 0) + line / 8 * bytes_of_field(matrix, 32) + line % 8 * 128 + static_cast<unsigned>(k) * 2;
  const auto swizzled = static_cast<Window>(warptune_host::swizzled(place, 128));
  return to_float<format>(*reinterpret_cast<const unsigned short*>(pointer_to(swizzled)));
}

// A multiplication that was started, and what a lane's two rows of the left operand were then.
struct Multiplication {
  float* sums;
  int columns;
  unsigned long long right;
  bool add;
  float left[2][16];

  // A call: inlined into unrolled loops, it would take longer to compile than to run.
  __device__ __noinline__ void run() const {
    for (int i = 0; i < columns / 8 * 4; ++i) {
      const int column = i / 4 * 8 + static_cast<int>(threadIdx.x) % 4 * 2 + i % 2;
      float sum = add ? sums[i] : 0.0f;
      for (int k = 0; k < 16; ++k) sum += left[i % 4 / 2][k] * element_of(right, column, k);
      sums[i] = sum;
    }
  }
};

}  // namespace emulation

using Pending = StartedProducts<emulation::Multiplication, 32>;

// The words of the left operand are collected from the lanes that hold them when the multiplication is started.
template <int Count>
__device__ inline void multiply(Pending& pending, float (&sums)[Count], const unsigned (&left)[4],
                                unsigned long long right, bool add) {
  emulation::Multiplication started = {sums, 2 * Count, right, add, {}};
  const int lane = static_cast<int>(threadIdx.x) % 32;
  for (int t = 0; t < 4; ++t) {
    for (int word = 0; word < 4; ++word) {
      const unsigned theirs = __shfl_sync(0xffffffffu, left[word], lane / 4 * 4 + t);
      float* place = started.left[word % 2] + word / 2 * 8 + 2 * t;
      place[0] = to_float<format>(static_cast<unsigned short>(theirs & 0xffff));
      place[1] = to_float<format>(static_cast<unsigned short>(theirs >> 16));
    }
  }
  pending.add(started);
}
