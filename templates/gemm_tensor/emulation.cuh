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

// Rows of A lie in groups of four lanes, columns of B too: this lane's two rows and two columns come from three groups.
template <Format format>
__device__ __noinline__ void multiply_add(float (&sums)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  for (int t = 0; t < 4; ++t) {
    const Pair low = pair_of_lane(a[0], a[1], lane / 4 * 4 + t);
    const Pair high = pair_of_lane(a[2], a[3], lane / 4 * 4 + t);
    for (int column = 0; column < 2; ++column) {
      const Pair of_b = pair_of_lane(b[0], b[1], (lane % 4 * 2 + column) * 4 + t);
      float& upper = sums[column];
      float& lower = sums[2 + column];
      upper = add_products<format>(high.first, of_b.second, add_products<format>(low.first, of_b.first, upper));
      lower = add_products<format>(high.second, of_b.second, add_products<format>(low.second, of_b.first, lower));
    }
  }
}

template <bool Transposed>
__device__ __noinline__ void load_matrices(unsigned (&words)[4], const char* row) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int line = lane / 4;
  const int first = lane % 4 * 2;
  for (int i = 0; i < 4; ++i) {
    unsigned short pair[2];
    for (int j = 0; j < 2; ++j) {
      const int from = Transposed ? first + j : line;
      const char* theirs = __shfl_sync(0xffffffffu, row, 8 * i + from);
      pair[j] = reinterpret_cast<const unsigned short*>(theirs)[Transposed ? line : first + j];
    }
    words[i] = pair[0] | static_cast<unsigned>(pair[1]) << 16;
  }
}

}  // namespace emulation
