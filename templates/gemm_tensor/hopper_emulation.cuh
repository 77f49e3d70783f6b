// Multiplications of warpgroups on the host, as the PTX ISA manual describes them.
#pragma once

#include "emulation.cuh"

namespace emulation {

template <Format format>
constexpr int bytes_of = static_cast<int>(sizeof(typename Stored<format>::type));
template <Format format>
constexpr int depth = 32 / bytes_of<format>;

template <Format format>
__device__ inline float element_at(unsigned long long place) {
  const Window swizzled = static_cast<Window>(warptune_host::swizzled(place, 128));
  if constexpr (format == Format::float8_e4m3) return e4m3_to_float(*pointer_to(swizzled));
  if constexpr (format == Format::tf32)
    return __uint_as_float(*reinterpret_cast<const unsigned*>(pointer_to(swizzled)) & tf32_bits);
  const unsigned bits = *reinterpret_cast<const unsigned short*>(pointer_to(swizzled));
  return format == Format::half ? half_to_float(bits) : bfloat16_to_float(bits);
}

// K-major: a row's elements follow each other.
template <Format format>
__device__ inline float element_along_k(unsigned long long matrix, int row, int k) {
  const auto line = static_cast<unsigned>(row);
  return element_at<format>(bytes_of_field(matrix, 0) + line / 8 * bytes_of_field(matrix, 32) + line % 8 * 128 +
                            static_cast<unsigned>(k * bytes_of<format>));
}

template <Format format>
__device__ inline float element_of_b(unsigned long long b, int k, int column) {
  if constexpr (format == Format::float8_e4m3 || format == Format::tf32) return element_along_k<format>(b, column, k);
  const auto line = static_cast<unsigned>(k), n = static_cast<unsigned>(column);
  return element_at<format>(bytes_of_field(b, 0) + line / 8 * bytes_of_field(b, 32) + line % 8 * 128 +
                            n / 64 * bytes_of_field(b, 16) + n % 64 * 2);
}

// A multiplication that was started.
struct Multiplication {
  float* sums;
  int columns;
  unsigned long long a, b;
  const unsigned* words;  // of the left operand, if it is in registers
  bool add;
  void (*compute)(const Multiplication&);

  __device__ void run() const { compute(*this); }
};

// This thread's part of 64 x columns sums, out of two rows of the left operand.
template <Format format>
__device__ inline void add_products(const Multiplication& of, const float (&left)[2][depth<format>]) {
  const int thread = static_cast<int>(threadIdx.x) % 128;
  for (int half = 0; half < 2; ++half) {
    for (int i = 0; i < of.columns / 8; ++i)
      for (int j = 0; j < 2; ++j) {
        float& sum = of.sums[4 * i + 2 * half + j];
        if (!of.add) sum = 0;
        for (int k = 0; k < depth<format>; ++k)
          sum += left[half][k] * element_of_b<format>(of.b, k, 8 * i + thread % 4 * 2 + j);
      }
  }
}

template <Format format>
__device__ __noinline__ void multiply(const Multiplication& of) {
  const int thread = static_cast<int>(threadIdx.x) % 128;
  float left[2][depth<format>];
  for (int half = 0; half < 2; ++half)
    for (int k = 0; k < depth<format>; ++k)
      left[half][k] = element_along_k<format>(of.a, thread / 32 * 16 + thread % 32 / 4 + half * 8, k);
  add_products<format>(of, left);
}

// The words come from the lanes that hold them, as late as the device may read them: who writes to such a register
// while the multiplication is under way gets wrong numbers.
template <Format format>
__device__ __noinline__ void multiply_registers(const Multiplication& of) {
  static_assert(format == Format::tf32, "a word is an element");
  const int lane = static_cast<int>(threadIdx.x) % 32;
  float left[2][depth<format>];
  for (int k = 0; k < depth<format>; ++k) {
    const Pair pair = pair_of_lane(of.words[k / 4 * 2], of.words[k / 4 * 2 + 1], lane / 4 * 4 + k % 4);
    left[0][k] = __uint_as_float(pair.first & tf32_bits);
    left[1][k] = __uint_as_float(pair.second & tf32_bits);
  }
  add_products<format>(of, left);
}

}  // namespace emulation

using Pending = StartedProducts<emulation::Multiplication, 64>;

template <Format format, int Count>
__device__ inline void multiply(Pending& pending, float (&sums)[Count], unsigned long long a, unsigned long long b,
                                bool add) {
  pending.add({sums, 2 * Count, a, b, nullptr, add, emulation::multiply<format>});
}

template <Format format, int Count>
__device__ inline void multiply(Pending& pending, float (&sums)[Count], const unsigned (&a)[4], unsigned long long b,
                                bool add) {
  pending.add({sums, 2 * Count, 0, b, a, add, emulation::multiply_registers<format>});
}

__device__ inline void store_matrices(Window row, const unsigned (&words)[4]) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  for (int i = 0; i < 4; ++i) {
    const Window of_mine = __shfl_sync(0xffffffffu, row, i * 8 + lane / 4);
    *reinterpret_cast<unsigned*>(pointer_to(of_mine + static_cast<unsigned>(lane % 4 * 4))) = words[i];
  }
}
