// CUDA's <cuda_bf16.h> on the host: __nv_bfloat16 and __nv_bfloat162, rounded to nearest even after each operation.
// Names and meanings are the CUDA Math API's.
#ifndef WARPTUNE_HOST_CUDA_BF16
#define WARPTUNE_HOST_CUDA_BF16

#include <warptune/host/formats16.h>

#define WARPTUNE_NUMBER __nv_bfloat16
#define WARPTUNE_RAW __nv_bfloat16_raw
#define WARPTUNE_PAIR __nv_bfloat162
#define WARPTUNE_PAIR_RAW __nv_bfloat162_raw
#define WARPTUNE_FORMAT warptune_host::Bfloat16
#define WARPTUNE_FROM(type, rounding) __##type##2bfloat16_##rounding
#define WARPTUNE_TO(type, rounding) __bfloat162##type##_##rounding
#if defined(__CUDA_NO_BFLOAT16_CONVERSIONS__)
#define WARPTUNE_CONVERSIONS 0
#else
#define WARPTUNE_CONVERSIONS 1
#endif
#if defined(__CUDA_NO_BFLOAT16_OPERATORS__)
#define WARPTUNE_OPERATORS 0
#else
#define WARPTUNE_OPERATORS 1
#endif
#if defined(__CUDA_NO_BFLOAT162_OPERATORS__)
#define WARPTUNE_PAIR_OPERATORS 0
#else
#define WARPTUNE_PAIR_OPERATORS 1
#endif
#include <warptune/host/numbers16.h>

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) {
  return __nv_bfloat16_raw{bits};
}
inline __nv_bfloat16 __short_as_bfloat16(short bits) {
  return __nv_bfloat16_raw{static_cast<unsigned short>(bits)};
}
inline unsigned short __bfloat16_as_ushort(const __nv_bfloat16 a) {
  return __nv_bfloat16_raw(a).x;
}
inline short __bfloat16_as_short(const __nv_bfloat16 a) {
  return static_cast<short>(__nv_bfloat16_raw(a).x);
}
inline __nv_bfloat16 __float2bfloat16_rn(float a) {
  return __nv_bfloat16_raw{warptune_host::Bfloat16::from(a)};
}
inline __nv_bfloat16 __float2bfloat16(float a) {
  return __float2bfloat16_rn(a);
}
inline __nv_bfloat16 __float2bfloat16_rz(float a) {
  return __nv_bfloat16_raw{warptune_host::Bfloat16::from(static_cast<double>(a), warptune_host::kTowardZero)};
}
inline __nv_bfloat16 __float2bfloat16_rd(float a) {
  return __nv_bfloat16_raw{warptune_host::Bfloat16::from(static_cast<double>(a), warptune_host::kDown)};
}
inline __nv_bfloat16 __float2bfloat16_ru(float a) {
  return __nv_bfloat16_raw{warptune_host::Bfloat16::from(static_cast<double>(a), warptune_host::kUp)};
}
inline __nv_bfloat16 __double2bfloat16(double a) {
  return __nv_bfloat16_raw{warptune_host::Bfloat16::from(a)};
}
inline float __bfloat162float(const __nv_bfloat16 a) {
  return warptune_host::float_of(a);
}

inline __nv_bfloat162 __halves2bfloat162(const __nv_bfloat16 low, const __nv_bfloat16 high) {
  return {low, high};
}
inline __nv_bfloat162 make_bfloat162(const __nv_bfloat16 low, const __nv_bfloat16 high) {
  return {low, high};
}
inline __nv_bfloat162 __bfloat162bfloat162(const __nv_bfloat16 a) {
  return {a, a};
}
inline __nv_bfloat162 __float2bfloat162_rn(float a) {
  return {__float2bfloat16_rn(a), __float2bfloat16_rn(a)};
}
inline __nv_bfloat162 __floats2bfloat162_rn(float low, float high) {
  return {__float2bfloat16_rn(low), __float2bfloat16_rn(high)};
}
inline __nv_bfloat162 __float22bfloat162_rn(float2 a) {
  return {__float2bfloat16_rn(a.x), __float2bfloat16_rn(a.y)};
}
inline float2 __bfloat1622float2(const __nv_bfloat162 a) {
  return {__low2float(a), __high2float(a)};
}
inline __nv_bfloat16 __low2bfloat16(const __nv_bfloat162 a) {
  return a.x;
}
inline __nv_bfloat16 __high2bfloat16(const __nv_bfloat162 a) {
  return a.y;
}
inline __nv_bfloat162 __low2bfloat162(const __nv_bfloat162 a) {
  return {a.x, a.x};
}
inline __nv_bfloat162 __high2bfloat162(const __nv_bfloat162 a) {
  return {a.y, a.y};
}
inline __nv_bfloat162 __lows2bfloat162(const __nv_bfloat162 a, const __nv_bfloat162 b) {
  return {a.x, b.x};
}
inline __nv_bfloat162 __highs2bfloat162(const __nv_bfloat162 a, const __nv_bfloat162 b) {
  return {a.y, b.y};
}

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7F80U)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7F7FU)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000U)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000U)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3F80U)

#endif
