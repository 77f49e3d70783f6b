// Multiplications of warpgroups on the host, as the PTX ISA manual describes them.
#pragma once

#include "formats.cuh"

namespace emulation {

template <Format format>
constexpr int bytes_of = format == Format::float8_e4m3 ? 1 : 2;
template <Format format>
constexpr int depth = 32 / bytes_of<format>;

template <Format format>
__device__ inline float element_at(unsigned long long place) {
  const Window swizzled = static_cast<Window>(warptune_host::swizzled(place, 128));
  if constexpr (format == Format::float8_e4m3) return e4m3_to_float(*pointer_to(swizzled));
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
  if constexpr (format == Format::float8_e4m3) return element_along_k<format>(b, column, k);
  const auto line = static_cast<unsigned>(k), n = static_cast<unsigned>(column);
  return element_at<format>(bytes_of_field(b, 0) + line / 8 * bytes_of_field(b, 32) + line % 8 * 128 +
                            n / 64 * bytes_of_field(b, 16) + n % 64 * 2);
}

// This thread's part of 64 x columns sums.
template <Format format>
__device__ __noinline__ void multiply(float* sums, int columns, unsigned long long a, unsigned long long b, bool add) {
  const int thread = static_cast<int>(threadIdx.x) % 128;
  for (int half = 0; half < 2; ++half) {
    float of_a[depth<format>];
    for (int k = 0; k < depth<format>; ++k)
      of_a[k] = element_along_k<format>(a, thread / 32 * 16 + thread % 32 / 4 + half * 8, k);
    for (int i = 0; i < columns / 8; ++i)
      for (int j = 0; j < 2; ++j) {
        float& sum = sums[4 * i + 2 * half + j];
        if (!add) sum = 0;
        for (int k = 0; k < depth<format>; ++k) sum += of_a[k] * element_of_b<format>(b, k, 8 * i + thread % 4 * 2 + j);
      }
  }
}

struct Multiplication {
  float* sums;
  int columns;
  unsigned long long a, b;
  bool add;
  void (*compute)(float*, int, unsigned long long, unsigned long long, bool);

  __device__ void run() const { compute(sums, columns, a, b, add); }
};

}  // namespace emulation

using Pending = StartedProducts<emulation::Multiplication, 64>;

template <Format format, int Count>
__device__ inline void multiply(Pending& pending, float (&sums)[Count], unsigned long long a, unsigned long long b,
                                bool add) {
  pending.add({sums, 2 * Count, a, b, add, emulation::multiply<format>});
}
