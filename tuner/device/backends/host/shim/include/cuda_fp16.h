// CUDA's <cuda_fp16.h> on the host: half and half2, rounded to nearest even after each operation. Names and meanings
// are the CUDA Math API's.
#ifndef WARPTUNE_HOST_CUDA_FP16
#define WARPTUNE_HOST_CUDA_FP16

#include <warptune/host/formats16.h>

#define WARPTUNE_NUMBER __half
#define WARPTUNE_RAW __half_raw
#define WARPTUNE_PAIR __half2
#define WARPTUNE_PAIR_RAW __half2_raw
#define WARPTUNE_FORMAT warptune_host::__Binary16
#define WARPTUNE_FROM(__type, __rounding) __type##2half##__rounding
#define WARPTUNE_TO(__type, __rounding) __half##__type##__rounding
#if defined(__CUDA_NO_HALF_CONVERSIONS__)
#define WARPTUNE_CONVERSIONS 0
#else
#define WARPTUNE_CONVERSIONS 1
#endif
#if defined(__CUDA_NO_HALF_OPERATORS__)
#define WARPTUNE_OPERATORS 0
#else
#define WARPTUNE_OPERATORS 1
#endif
#if defined(__CUDA_NO_HALF2_OPERATORS__)
#define WARPTUNE_PAIR_OPERATORS 0
#else
#define WARPTUNE_PAIR_OPERATORS 1
#endif
#include <warptune/host/numbers16.h>

typedef __half half, __nv_half, nv_half;
typedef __half2 half2, __nv_half2, nv_half2;
typedef __half_raw __nv_half_raw;
typedef __half2_raw __nv_half2_raw;

inline __half __ushort_as_half(unsigned short __bits) {
  return __half_raw{__bits};
}
inline __half __short_as_half(short __bits) {
  return __half_raw{static_cast<unsigned short>(__bits)};
}
inline unsigned short __half_as_ushort(const __half __a) {
  return __half_raw(__a).x;
}
inline short __half_as_short(const __half __a) {
  return static_cast<short>(__half_raw(__a).x);
}
inline __half __float2half_rn(float __a) {
  return __half_raw{warptune_host::__Binary16::__from(__a)};
}
inline __half __float2half(float __a) {
  return __float2half_rn(__a);
}
inline __half __float2half_rz(float __a) {
  return __half_raw{warptune_host::__Binary16::__from(static_cast<double>(__a), warptune_host::__kTowardZero)};
}
inline __half __float2half_rd(float __a) {
  return __half_raw{warptune_host::__Binary16::__from(static_cast<double>(__a), warptune_host::__kDown)};
}
inline __half __float2half_ru(float __a) {
  return __half_raw{warptune_host::__Binary16::__from(static_cast<double>(__a), warptune_host::__kUp)};
}
inline __half __double2half(double __a) {
  return __half_raw{warptune_host::__Binary16::__from(__a)};
}
inline float __half2float(const __half __a) {
  return warptune_host::__float_of(__a);
}

inline __half2 __halves2half2(const __half __low, const __half __high) {
  return {__low, __high};
}
inline __half2 make_half2(const __half __low, const __half __high) {
  return {__low, __high};
}
inline __half2 __half2half2(const __half __a) {
  return {__a, __a};
}
inline __half2 __float2half2_rn(float __a) {
  return {__float2half_rn(__a), __float2half_rn(__a)};
}
inline __half2 __floats2half2_rn(float __low, float __high) {
  return {__float2half_rn(__low), __float2half_rn(__high)};
}
inline __half2 __float22half2_rn(float2 __a) {
  return {__float2half_rn(__a.x), __float2half_rn(__a.y)};
}
inline float2 __half22float2(const __half2 __a) {
  return {__low2float(__a), __high2float(__a)};
}
inline __half __low2half(const __half2 __a) {
  return __a.x;
}
inline __half __high2half(const __half2 __a) {
  return __a.y;
}
inline __half2 __low2half2(const __half2 __a) {
  return {__a.x, __a.x};
}
inline __half2 __high2half2(const __half2 __a) {
  return {__a.y, __a.y};
}
inline __half2 __lows2half2(const __half2 __a, const __half2 __b) {
  return {__a.x, __b.x};
}
inline __half2 __highs2half2(const __half2 __a, const __half2 __b) {
  return {__a.y, __b.y};
}

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7C00U)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7BFFU)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000U)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000U)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3C00U)

#endif
