// The matrix is read once, x again and again: the caches can be told.
#pragma once

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
// PTX ISA, "createpolicy" and "ld.global.nc": how long L2 keeps a line is a policy in a register, L1 is told by the
// instruction itself. L2's two halves keep copies of x each, so that a large x has half the cache against the stream.
__device__ inline unsigned long long leaves_first() {
  unsigned long long policy;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}
__device__ inline unsigned long long leaves_last() {
  unsigned long long policy;
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}
__device__ inline int read_past_l1(const int* from) {
  int value;
  asm("ld.global.nc.L1::no_allocate.L2::cache_hint.b32 %0, [%1], %2;" : "=r"(value) : "l"(from), "l"(leaves_first()));
  return value;
}
__device__ inline float read_past_l1(const float* from) {
  return __int_as_float(read_past_l1(reinterpret_cast<const int*>(from)));
}
__device__ inline unsigned short read_past_l1(const unsigned short* from) {
  unsigned short value;
  asm("ld.global.nc.L1::no_allocate.L2::cache_hint.u16 %0, [%1], %2;" : "=h"(value) : "l"(from), "l"(leaves_first()));
  return value;
}
__device__ inline uint2 read_past_l1(const uint2* from) {
  uint2 value;
  asm("ld.global.nc.L1::no_allocate.L2::cache_hint.v2.b32 {%0, %1}, [%2], %3;"
      : "=r"(value.x), "=r"(value.y)
      : "l"(from), "l"(leaves_first()));
  return value;
}
__device__ inline uint4 read_past_l1(const uint4* from) {
  uint4 value;
  asm("ld.global.nc.L1::no_allocate.L2::cache_hint.v4.b32 {%0, %1, %2, %3}, [%4], %5;"
      : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
      : "l"(from), "l"(leaves_first()));
  return value;
}
__device__ inline float keep(const float* from) {
  float value;
  asm("ld.global.nc.L1::evict_last.L2::cache_hint.f32 %0, [%1], %2;" : "=f"(value) : "l"(from), "l"(leaves_last()));
  return value;
}
#else
// The host has no such caches, and devices before 8.0 no policies.
template <class T>
__device__ T read_past_l1(const T* from) {
  return __ldcs(from);
}
__device__ inline float keep(const float* from) {
  return __ldg(from);
}
#endif

template <class T>
__device__ T read_once(const T* from) {
  if constexpr (cache_hint == CacheHint::streaming) return __ldcs(from);
  if constexpr (cache_hint == CacheHint::policy) return read_past_l1(from);
  return *from;
}

__device__ inline float read_often(const float* from) {
  if constexpr (cache_hint == CacheHint::policy) return keep(from);
  return __ldg(from);
}
