// The elements of Q, K, V and O: half or bfloat16, as their bits.
#pragma once

#include <warptune/device/numbers16.cuh>

using warptune::device::from_float;
using warptune::device::NumberFormat;
using warptune::device::StoredNumber;
using warptune::device::to_float;

using Element = unsigned short;

// Two numbers rounded to one word, `low` in its lower half.
template <NumberFormat format>
__device__ inline unsigned rounded_pair(float low, float high) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  unsigned word;
  if constexpr (format == NumberFormat::half) {
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
  } else {
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
  }
  return word;
#else
  return from_float<format>(low) | static_cast<unsigned>(from_float<format>(high)) << 16;
#endif
}

// One instruction, off by two units in the last place; results below the normal numbers are zero.
__device__ inline float fast_exp2(float x) {
#if defined(__CUDA_ARCH__)
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
#else
  return exp2f(x);
#endif
}
