// What mma16.cuh promises, by shuffles and ordinary arithmetic: on the host, and where the architecture lacks an
// instruction. Which lane holds which element is the PTX ISA manual's, so that a kernel's own tiles, layouts and
// boundaries are what runs.
#pragma once

#include <warptune/device/numbers16.cuh>

namespace warptune::device::emulated_mma16 {

// What a lane's four sums need: 16 elements, two a word, of two rows of the left operand or two columns of the right
// one. A multiplication collects them from the lanes that hold them; here they are collected once for all
// multiplications that a fragment takes part in.
struct Operand {
  unsigned words[2][8];
};

// The same two words of another lane, by one shuffle.
struct Pair {
  unsigned first;
  unsigned second;
};
__device__ inline Pair pair_of_lane(unsigned first, unsigned second, int lane) {
  const unsigned long long both = static_cast<unsigned long long>(second) << 32 | first;
  const unsigned long long theirs = __shfl_sync(0xffffffffu, both, lane);
  return {static_cast<unsigned>(theirs), static_cast<unsigned>(theirs >> 32)};
}

// Rows lane / 4 and eight below, of which each of four neighbouring lanes holds every fourth word.
__device__ inline Operand left_operand(const unsigned (&a)[4]) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  Operand result;
  for (int t = 0; t < 8; ++t) {
    const Pair pair = pair_of_lane(a[t / 4 * 2], a[t / 4 * 2 + 1], lane / 4 * 4 + t % 4);
    result.words[0][t] = pair.first;
    result.words[1][t] = pair.second;
  }
  return result;
}

// Columns 2 * (lane % 4) and the next.
__device__ inline Operand right_operand(unsigned upper, unsigned lower) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  Operand result;
  for (int t = 0; t < 8; ++t) {
    const Pair pair = pair_of_lane(upper, lower, (lane % 4 * 2 + t / 4) * 4 + t % 4);
    result.words[t / 4][t % 4] = pair.first;
    result.words[t / 4][4 + t % 4] = pair.second;
  }
  return result;
}

// A call: inlined into unrolled loops, it would take longer to compile than to run.
template <NumberFormat Format>
__device__ __noinline__ void add_all_products(float* sums, const Operand& a, const Operand& b) {
  for (int i = 0; i < 4; ++i) {
    for (int word = 0; word < 8; ++word) {
      const unsigned left = a.words[i / 2][word], right = b.words[i % 2][word];
      sums[i] += to_float<Format>(static_cast<unsigned short>(left & 0xffff)) *
                 to_float<Format>(static_cast<unsigned short>(right & 0xffff));
      sums[i] += to_float<Format>(static_cast<unsigned short>(left >> 16)) *
                 to_float<Format>(static_cast<unsigned short>(right >> 16));
    }
  }
}

// The row that another lane points to.
__device__ inline const unsigned short* row_of_lane(const void* row, int lane) {
  const unsigned long long theirs = __shfl_sync(0xffffffffu, reinterpret_cast<unsigned long long>(row), lane);
  return reinterpret_cast<const unsigned short*>(theirs);
}

template <bool Transposed>
__device__ __noinline__ void load_matrices(unsigned (&words)[4], const void* row) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int line = lane / 4;
  const int first = lane % 4 * 2;
  for (int i = 0; i < 4; ++i) {
    const unsigned short* upper = row_of_lane(row, 8 * i + (Transposed ? first : line));
    const unsigned short* lower = Transposed ? row_of_lane(row, 8 * i + first + 1) : upper;
    const unsigned short low = upper[Transposed ? line : first];
    const unsigned short high = lower[Transposed ? line : first + 1];
    words[i] = low | static_cast<unsigned>(high) << 16;
  }
}

}  // namespace warptune::device::emulated_mma16
