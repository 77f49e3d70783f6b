// The operands' formats. Half and bfloat16 arrive as their bits; what they stand for is computed here in integers,
// where no instruction does it: in the reference and in the emulation of a multiplication.
#pragma once

enum class Format { tf32, half, bfloat16 };

template <Format>
struct Stored {
  using type = unsigned short;
};
template <>
struct Stored<Format::tf32> {
  using type = float;
};

__device__ inline float bfloat16_to_float(unsigned bits) {
  return __uint_as_float(bits << 16);
}

// Binary16's exponent and fraction are binary32's with another bias: a multiplication by a power of two sets it right,
// for subnormal numbers too. Infinities and NaNs have the largest exponent in both.
__device__ inline float half_to_float(unsigned bits) {
  const unsigned magnitude = (bits & 0x7fff) << 13;
  const unsigned sign = (bits & 0x8000) << 16;
  if (magnitude >= 0x0f800000) return __uint_as_float(sign | magnitude | 0x7f800000);
  const float unbiased = __uint_as_float(magnitude) * 5.192296858534828e33f;  // 2^112
  return __uint_as_float(sign | __float_as_uint(unbiased));
}
