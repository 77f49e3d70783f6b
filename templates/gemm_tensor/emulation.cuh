// What instructions.cuh promises, by shuffles and ordinary arithmetic: on the host, and where the architecture lacks an
// instruction. Which lane holds which element is the PTX ISA manual's, so that the kernel's own tiles, layouts and
// boundaries are what runs.
#pragma once

#include "formats.cuh"

namespace emulation {

// The tensor core takes no notice of the rest of a float's fraction.
constexpr unsigned tf32_bits = 0xffffe000;

__device__ inline unsigned round_to_tf32(unsigned bits) {
  return (bits + 0x1000) & tf32_bits;
}

// sum + the products of the one or two elements in a word of A and a word of B.
template <Format format>
__device__ inline float add_products(unsigned a, unsigned b, float sum) {
  if constexpr (format == Format::tf32) {
    return sum + __uint_as_float(a & tf32_bits) * __uint_as_float(b & tf32_bits);
  } else if constexpr (format == Format::half) {
    sum += half_to_float(a & 0xffff) * half_to_float(b & 0xffff);
    return sum + half_to_float(a >> 16) * half_to_float(b >> 16);
  } else {
    sum += bfloat16_to_float(a & 0xffff) * bfloat16_to_float(b & 0xffff);
    return sum + bfloat16_to_float(a >> 16) * bfloat16_to_float(b >> 16);
  }
}

// The same two words of another lane.
struct Pair {
  unsigned first;
  unsigned second;
};
__device__ inline Pair pair_of_lane(unsigned first, unsigned second, int lane) {
  const unsigned long long both = static_cast<unsigned long long>(second) << 32 | first;
  const unsigned long long theirs = __shfl_sync(0xffffffffu, both, lane);
  return {static_cast<unsigned>(theirs), static_cast<unsigned>(theirs >> 32)};
}

// What a lane's four sums need: 32 bytes along K of two rows of A, or of two columns of B. A multiplication collects
// them from the lanes that hold their words; here they are collected once for all multiplications that a fragment takes
// part in.
struct Operand {
  unsigned words[2][8];
};

// Of A rows lane / 4 and eight below, of which each of four neighbouring lanes holds every fourth word.
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

// Of B columns 2 * (lane % 4) and the next.
__device__ inline Operand right_operand(const unsigned (&b)[2]) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  Operand result;
  for (int t = 0; t < 8; ++t) {
    const Pair pair = pair_of_lane(b[0], b[1], (lane % 4 * 2 + t / 4) * 4 + t % 4);
    result.words[t / 4][t % 4] = pair.first;
    result.words[t / 4][4 + t % 4] = pair.second;
  }
  return result;
}

// A call: inlined into unrolled loops, it would take longer to compile than to run.
template <Format format>
__device__ __noinline__ void add_all_products(float (&sums)[4], const Operand& a, const Operand& b) {
  for (int i = 0; i < 4; ++i) {
    for (int word = 0; word < 8; ++word) {
      sums[i] = add_products<format>(a.words[i / 2][word], b.words[i % 2][word], sums[i]);
    }
  }
}

// The row that another lane points to.
__device__ inline const unsigned short* row_of_lane(const char* row, int lane) {
  const unsigned long long theirs = __shfl_sync(0xffffffffu, reinterpret_cast<unsigned long long>(row), lane);
  return reinterpret_cast<const unsigned short*>(theirs);
}

template <bool Transposed>
__device__ __noinline__ void load_matrices(unsigned (&words)[4], const char* row) {
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

}  // namespace emulation
