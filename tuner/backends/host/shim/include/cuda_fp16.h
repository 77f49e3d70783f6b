// CUDA's <cuda_fp16.h> on the host: half and half2, rounded to nearest even after each operation. Names and meanings
// are the CUDA Math API's.
#ifndef WARPTUNE_HOST_CUDA_FP16
#define WARPTUNE_HOST_CUDA_FP16

#include <warptune/host/formats16.h>

#define WARPTUNE_NUMBER __half
#define WARPTUNE_RAW __half_raw
#define WARPTUNE_PAIR __half2
#define WARPTUNE_PAIR_RAW __half2_raw
#define WARPTUNE_FORMAT warptune_host::Binary16
#define WARPTUNE_FROM(type, rounding) __##type##2half_##rounding
#define WARPTUNE_TO(type, rounding) __half2##type##_##rounding
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

inline __half __ushort_as_half(unsigned short bits) {
  return __half_raw{bits};
}
inline __half __short_as_half(short bits) {
  return __half_raw{static_cast<unsigned short>(bits)};
}
inline unsigned short __half_as_ushort(const __half a) {
  return __half_raw(a).x;
}
inline short __half_as_short(const __half a) {
  return static_cast<short>(__half_raw(a).x);
}
inline __half __float2half_rn(float a) {
  return __half_raw{warptune_host::Binary16::from(a)};
}
inline __half __float2half(float a) {
  return __float2half_rn(a);
}
inline __half __float2half_rz(float a) {
  return __half_raw{warptune_host::Binary16::from(static_cast<double>(a), warptune_host::kTowardZero)};
}
inline __half __float2half_rd(float a) {
  return __half_raw{warptune_host::Binary16::from(static_cast<double>(a), warptune_host::kDown)};
}
inline __half __float2half_ru(float a) {
  return __half_raw{warptune_host::Binary16::from(static_cast<double>(a), warptune_host::kUp)};
}
inline __half __double2half(double a) {
  return __half_raw{warptune_host::Binary16::from(a)};
}
inline float __half2float(const __half a) {
  return warptune_host::float_of(a);
}

inline __half2 __halves2half2(const __half low, const __half high) {
  return {low, high};
}
inline __half2 make_half2(const __half low, const __half high) {
  return {low, high};
}
inline __half2 __half2half2(const __half a) {
  return {a, a};
}
inline __half2 __float2half2_rn(float a) {
  return {__float2half_rn(a), __float2half_rn(a)};
}
inline __half2 __floats2half2_rn(float low, float high) {
  return {__float2half_rn(low), __float2half_rn(high)};
}
inline __half2 __float22half2_rn(float2 a) {
  return {__float2half_rn(a.x), __float2half_rn(a.y)};
}
inline float2 __half22float2(const __half2 a) {
  return {__low2float(a), __high2float(a)};
}
inline __half __low2half(const __half2 a) {
  return a.x;
}
inline __half __high2half(const __half2 a) {
  return a.y;
}
inline __half2 __low2half2(const __half2 a) {
  return {a.x, a.x};
}
inline __half2 __high2half2(const __half2 a) {
  return {a.y, a.y};
}
inline __half2 __lows2half2(const __half2 a, const __half2 b) {
  return {a.x, b.x};
}
inline __half2 __highs2half2(const __half2 a, const __half2 b) {
  return {a.y, b.y};
}

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7C00U)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7BFFU)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000U)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000U)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3C00U)

#endif
