// Converts between float and the bits of 16-bit floating-point formats, on the host.
#pragma once

#include <cstdint>

namespace warptune::tuner {

// Conversions to 16 bits round to nearest, ties to even (IEEE 754 binary16; bfloat16 is the upper half of binary32).
std::uint16_t half_bits(float value);
std::uint16_t bfloat16_bits(float value);
float half_value(std::uint16_t bits);
float bfloat16_value(std::uint16_t bits);

}  // namespace warptune::tuner
