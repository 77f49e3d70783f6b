// From 4-bit weights to pairs of 16-bit numbers. The parameters are described in kernel.cu.
//
// The fast way uses how numbers are stored: the last bit of 128 as bfloat16, and of 1024 as half, is worth one. So a
// weight that takes the place of the last four bits is added to it, and one subtraction, which is exact, leaves the
// weight less its zero point (Kim et al., "Who Says Elephants Can't Run", 2022; Frantar et al., "MARLIN", 2024).
#pragma once

#include <warptune/device/mma16.cuh>

#include "problem.cuh"

enum class Conversion { magic, arithmetic };
enum class Scaling { weights, sums, raw };

constexpr Conversion conversion = Conversion::CONVERSION;
constexpr Scaling scaling = Scaling::SCALING;

// Pairs: 128 or 1024, 1 and -0.
constexpr unsigned offset_pair = format == NumberFormat::bfloat16 ? 0x43004300 : 0x64006400;
constexpr unsigned one_pair = format == NumberFormat::bfloat16 ? 0x3f803f80 : 0x3c003c00;
constexpr unsigned sign_pair = 0x80008000;

// a * b + c of both numbers, each rounded once.
__device__ inline unsigned multiply_add_pair(unsigned a, unsigned b, unsigned c) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  unsigned sum;
  if constexpr (format == NumberFormat::bfloat16) {
    asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
  } else {
    asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(b), "r"(c));
  }
  return sum;
#else
  using warptune::device::to_float;
  const auto low = [](unsigned pair) { return to_float<format>(static_cast<Element>(pair & 0xffffu)); };
  const auto high = [](unsigned pair) { return to_float<format>(static_cast<Element>(pair >> 16)); };
  return warptune::device::rounded_pair<format>(low(a) * low(b) + low(c), high(a) * high(b) + high(c));
#endif
}

// (a & b) | c, which the compiler does not always make one instruction of.
__device__ inline unsigned masked_or(unsigned a, unsigned b, unsigned c) {
#if defined(__CUDA_ARCH__)
  unsigned result;
  asm("lop3.b32 %0, %1, %2, %3, 0xea;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
  return result;
#else
  return (a & b) | c;
#endif
}

// Bytes of two words, numbered from 0 to 7, four of them chosen by the selector's nibbles.
__device__ inline unsigned chosen_bytes(unsigned low, unsigned high, unsigned selector) {
#if defined(__CUDA_ARCH__)
  return __byte_perm(low, high, selector);
#else
  const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
  unsigned result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    result |= static_cast<unsigned>(both >> (selector >> 4 * i & 7u) * 8 & 0xffu) << 8 * i;
  }
  return result;
#endif
}

// What raw weights are too large by, beside their zero point.
constexpr int raw_offset = conversion == Conversion::arithmetic ? 0 : format == NumberFormat::bfloat16 ? 128 : 1024;

// What a group's weights in one column share, as the conversion needs it.
struct Group {
  unsigned zero;   // magic: minus the offset and the zero point, twice; else the zero point
  unsigned scale;  // the number, twice

  // Of sums.
  __device__ float factor() const { return warptune::device::to_float<format>(static_cast<Element>(scale & 0xffffu)); }
};

__device__ inline Group group_of(unsigned zero, unsigned scale) {
  const unsigned twice = scale | scale << 16;
  if constexpr (conversion == Conversion::arithmetic || scaling == Scaling::raw) return {zero, twice};
  return {(offset_pair | sign_pair) + (zero | zero << 16), twice};
}

// Weights in the last four bits of either half of `bits`: raw ones as they are, plus the offset; others less the zero
// point.
__device__ inline unsigned pair_of(unsigned bits, const Group& group) {
  if constexpr (conversion == Conversion::magic) {
    const unsigned pair = masked_or(bits, 0x000f000f, offset_pair);
    return scaling == Scaling::raw ? pair : multiply_add_pair(pair, one_pair, group.zero);
  } else {
    const int zero = scaling == Scaling::raw ? 0 : static_cast<int>(group.zero);
    const int low = static_cast<int>(bits & 15u) - zero, high = static_cast<int>(bits >> 16 & 15u) - zero;
    return warptune::device::rounded_pair<format>(static_cast<float>(low), static_cast<float>(high));
  }
}

// The same pair as B has it, if scales multiply weights.
__device__ inline unsigned scaled(unsigned pair, const Group& group) {
  return scaling == Scaling::weights ? multiply_add_pair(pair, group.scale, sign_pair) : pair;
}
