// Functions by the device's approximating units alone, without what CUDA's own do for subnormal numbers.
//
//   fast_exponential(x - largest) * fast_reciprocal(sum);
//
// On the host they are exact. No memory; any number of threads. Source: PTX ISA, "ex2", "rcp" and "rsqrt", for the
// errors.
#pragma once

namespace warptune::device {

// 2^x in one instruction, off by two units in the last place; what is below 2^-126 is zero.
__device__ inline float fast_exp2(float x) {
#if defined(__CUDA_ARCH__)
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
  return power;
#else
  return exp2f(x);
#endif
}

// exp(x), off by 2^-22 + |x| * 2^-23 of itself at most, as __expf; what is below 2^-126 is zero. Without subnormal
// results it is two instructions, where __expf takes five.
__device__ inline float fast_exponential(float x) {
#if defined(__CUDA_ARCH__)
  return fast_exp2(x * 1.44269504f);
#else
  return __expf(x);
#endif
}

// 1 / x, off by 2^-23 of itself at most, of numbers that are neither subnormal nor have such a reciprocal: one
// instruction, where a division takes eight and a branch.
__device__ inline float fast_reciprocal(float x) {
#if defined(__CUDA_ARCH__)
  float reciprocal;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(reciprocal) : "f"(x));
  return reciprocal;
#else
  return 1.0f / x;
#endif
}

// 1 / sqrt(x), off by 2^-22.9 of itself at most, of numbers that are not subnormal: one instruction, where rsqrtf takes
// four.
__device__ inline float fast_reciprocal_root(float x) {
#if defined(__CUDA_ARCH__)
  float root;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(x));
  return root;
#else
  return rsqrtf(x);
#endif
}

}  // namespace warptune::device
