// The operands' formats. Half and bfloat16 arrive as their bits; what they stand for is computed here in integers,
// where no instruction does it: in the reference and in the emulation of a multiplication.
#pragma once

#include <warptune/device/numbers16.cuh>

enum class Format { tf32, half, bfloat16, float8_e4m3 };

template <Format>
struct Stored {
  using type = unsigned short;
};
template <>
struct Stored<Format::tf32> {
  using type = float;
};

template <>
struct Stored<Format::float8_e4m3> {
  using type = unsigned char;
};

__device__ inline float bfloat16_to_float(unsigned bits) {
  return __uint_as_float(bits << 16);
}

__device__ inline float half_to_float(unsigned bits) {
  return warptune::device::half_bits_to_float(static_cast<unsigned short>(bits));
}

// A sign, four bits of an exponent with bias 7, three of a fraction; all ones are NaN, and there is no infinity
// (Micikevicius et al., "FP8 Formats for Deep Learning", 2022). Half has the same numbers with another bias.
__device__ inline float e4m3_to_float(unsigned bits) {
  if ((bits & 0x7f) == 0x7f) return __uint_as_float(0x7fffffff);
  return 256.0f * half_to_float((bits & 0x80) << 8 | (bits & 0x7f) << 7);
}

// Of half and bfloat16: what 16 bits stand for, and the nearest number's bits.
template <Format format>
__device__ inline float value_of_bits(unsigned bits) {
  return format == Format::half ? half_to_float(bits) : bfloat16_to_float(bits);
}

template <Format format>
__device__ inline unsigned short bits_of_value(float value) {
  return format == Format::half ? warptune::device::float_to_half_bits(value)
                                : warptune::device::float_to_bfloat16_bits(value);
}
