// Converts 16-bit numbers with the arithmetic of binary32.
#include "tuner/kernel/numbers16.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace warptune::tuner {

std::uint16_t half_bits(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000);
  const float magnitude = std::fabs(value);
  if (std::isnan(value)) return sign | 0x7e00;
  if (magnitude >= 65520.0f) return sign | 0x7c00;  // halfway above the largest half rounds to infinity
  if (magnitude == 0) return sign;
  // The magnitude is scaled to the format's spacing at this magnitude, so that nearbyint rounds as the format would.
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  const int spacing = std::max(exponent - 11, -24);
  const auto steps = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, -spacing)));
  // Subnormals count steps of 2^-24. The carry of a normal number into the exponent field is what rounding up wants.
  if (spacing == -24 && steps < 1024) return static_cast<std::uint16_t>(sign | steps);
  return static_cast<std::uint16_t>(sign | (static_cast<std::uint32_t>(spacing + 24) * 1024 + steps));
}

std::uint16_t bfloat16_bits(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>((bits >> 16) | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

float half_value(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int fraction = bits & 1023;
  const float sign = (bits & 0x8000) != 0 ? -1.0f : 1.0f;
  if (exponent == 31) return fraction != 0 ? NAN : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
  return sign * std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
}

float bfloat16_value(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

}  // namespace warptune::tuner
