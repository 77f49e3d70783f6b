// Numbers that are stored in 16 bits and computed with as floats: half (binary16) and bfloat16, as their bits.
//
//   using Stored = typename StoredNumber<NumberFormat::half>::type;            // unsigned short
//   const float value = to_float<NumberFormat::half>(stored);
//   const Stored rounded = from_float<NumberFormat::half>(2.0f * value);       // to the nearest, ties to even
//   const Pack<float, 8> values = to_floats<NumberFormat::half>(pack);         // of a vector; from_floats goes back
//
// One instruction each where the device has it; integers elsewhere (bfloat16 below compute capability 8.0, the host
// backend), with the same results. No memory; any number of threads. CUDA's own headers (cuda_fp16.h) do the same and
// have to be found by the compiler; these have not.
// Sources: PTX ISA, "cvt"; Giesen, "Half to float done quic(k)" and float_to_half_fast3_rtne (2012).
#pragma once

#include <warptune/device/vectors.cuh>

namespace warptune::device {

enum class NumberFormat { float32, half, bfloat16 };

template <NumberFormat>
struct StoredNumber {
  using type = unsigned short;
};
template <>
struct StoredNumber<NumberFormat::float32> {
  using type = float;
};

// Binary16's exponent and fraction are binary32's with another bias: a multiplication by a power of two sets it right,
// for subnormal numbers too. Infinities and NaNs have the largest exponent in both.
__device__ inline float half_bits_to_float(unsigned short bits) {
#if defined(__CUDA_ARCH__)
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
#else
  const unsigned magnitude = (bits & 0x7fffu) << 13;
  const unsigned sign = (bits & 0x8000u) << 16;
  if (magnitude >= 0x0f800000u) return __uint_as_float(sign | magnitude | 0x7f800000u);
  const float unbiased = __uint_as_float(magnitude) * 5.192296858534828e33f;  // 2^112
  return __uint_as_float(sign | __float_as_uint(unbiased));
#endif
}

__device__ inline unsigned short float_to_half_bits(float value) {
#if defined(__CUDA_ARCH__)
  unsigned short bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  return bits;
#else
  constexpr unsigned infinity = 255u << 23, beyond_largest = 143u << 23, smallest_normal = 113u << 23;
  constexpr unsigned subnormal_spacing = 126u << 23;  // 0.5: a sum with it has half's subnormals as its last bits
  const unsigned sign = __float_as_uint(value) >> 16 & 0x8000u;
  unsigned magnitude = __float_as_uint(value) & 0x7fffffffu;
  if (magnitude > infinity) return static_cast<unsigned short>(sign | 0x7fffu);
  if (magnitude >= beyond_largest) return static_cast<unsigned short>(sign | 0x7c00u);
  if (magnitude < smallest_normal) {
    const float sum = __uint_as_float(magnitude) + __uint_as_float(subnormal_spacing);
    return static_cast<unsigned short>(sign | (__float_as_uint(sum) - subnormal_spacing));
  }
  const unsigned odd = magnitude >> 13 & 1u;
  magnitude = magnitude - (112u << 23) + 0xfffu + odd;
  return static_cast<unsigned short>(sign | magnitude >> 13);
#endif
}

__device__ inline unsigned short float_to_bfloat16_bits(float value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  unsigned short bits;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  return bits;
#else
  const unsigned bits = __float_as_uint(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
  return static_cast<unsigned short>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
#endif
}

template <NumberFormat Format>
__device__ inline float to_float(typename StoredNumber<Format>::type stored) {
  if constexpr (Format == NumberFormat::float32) {
    return stored;
  } else if constexpr (Format == NumberFormat::half) {
    return half_bits_to_float(stored);
  } else {
    return __uint_as_float(static_cast<unsigned>(stored) << 16);
  }
}

// To the nearest number of the format, ties to even.
template <NumberFormat Format>
__device__ inline typename StoredNumber<Format>::type from_float(float value) {
  if constexpr (Format == NumberFormat::float32) {
    return value;
  } else if constexpr (Format == NumberFormat::half) {
    return float_to_half_bits(value);
  } else {
    return float_to_bfloat16_bits(value);
  }
}

// A vector's numbers. Two at a time, out of the word that both lie in: one instruction for each, where a number that
// the compiler sees as a short of its own takes two or three.
template <NumberFormat Format, int Width>
__device__ inline Pack<float, Width> to_floats(const Pack<typename StoredNumber<Format>::type, Width>& stored) {
  Pack<float, Width> values;
  if constexpr (Format == NumberFormat::float32 || Width % 2 != 0) {
#pragma unroll
    for (int i = 0; i < Width; ++i) values.at[i] = to_float<Format>(stored.at[i]);
  } else {
#pragma unroll
    for (int i = 0; i < Width; i += 2) {
      const unsigned pair = reinterpret_cast<const unsigned*>(&stored)[i / 2];
      if constexpr (Format == NumberFormat::half) {
        values.at[i] = half_bits_to_float(static_cast<unsigned short>(pair));
        values.at[i + 1] = half_bits_to_float(static_cast<unsigned short>(pair >> 16));
      } else {
        values.at[i] = __uint_as_float(pair << 16);
        values.at[i + 1] = __uint_as_float(pair & 0xffff0000u);
      }
    }
  }
  return values;
}

// The way back: each to the nearest number of the format, ties to even.
template <NumberFormat Format, int Width>
__device__ inline Pack<typename StoredNumber<Format>::type, Width> from_floats(const Pack<float, Width>& values) {
  Pack<typename StoredNumber<Format>::type, Width> stored;
#pragma unroll
  for (int i = 0; i < Width; ++i) stored.at[i] = from_float<Format>(values.at[i]);
  return stored;
}

}  // namespace warptune::device
