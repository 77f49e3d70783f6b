// CUDA's <cuda_bf16.h> on the host: __nv_bfloat16 and __nv_bfloat162, rounded to nearest even after each operation.
// Names and meanings are the CUDA Math API's.
#ifndef WARPTUNE_HOST_CUDA_BF16
#define WARPTUNE_HOST_CUDA_BF16

#include <warptune/host/formats16.h>

#define WARPTUNE_NUMBER __nv_bfloat16
#define WARPTUNE_RAW __nv_bfloat16_raw
#define WARPTUNE_PAIR __nv_bfloat162
#define WARPTUNE_PAIR_RAW __nv_bfloat162_raw
#define WARPTUNE_FORMAT warptune_host::__Bfloat16
#define WARPTUNE_FROM(__type, __rounding) __type##2bfloat16##__rounding
#define WARPTUNE_TO(__type, __rounding) __bfloat16##__type##__rounding
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

inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short __bits) {
  return __nv_bfloat16_raw{__bits};
}
inline __nv_bfloat16 __short_as_bfloat16(short __bits) {
  return __nv_bfloat16_raw{static_cast<unsigned short>(__bits)};
}
inline unsigned short __bfloat16_as_ushort(const __nv_bfloat16 __a) {
  return __nv_bfloat16_raw(__a).x;
}
inline short __bfloat16_as_short(const __nv_bfloat16 __a) {
  return static_cast<short>(__nv_bfloat16_raw(__a).x);
}
inline __nv_bfloat16 __float2bfloat16_rn(float __a) {
  return __nv_bfloat16_raw{warptune_host::__Bfloat16::__from(__a)};
}
inline __nv_bfloat16 __float2bfloat16(float __a) {
  return __float2bfloat16_rn(__a);
}
inline __nv_bfloat16 __float2bfloat16_rz(float __a) {
  return __nv_bfloat16_raw{warptune_host::__Bfloat16::__from(static_cast<double>(__a), warptune_host::__kTowardZero)};
}
inline __nv_bfloat16 __float2bfloat16_rd(float __a) {
  return __nv_bfloat16_raw{warptune_host::__Bfloat16::__from(static_cast<double>(__a), warptune_host::__kDown)};
}
inline __nv_bfloat16 __float2bfloat16_ru(float __a) {
  return __nv_bfloat16_raw{warptune_host::__Bfloat16::__from(static_cast<double>(__a), warptune_host::__kUp)};
}
inline __nv_bfloat16 __double2bfloat16(double __a) {
  return __nv_bfloat16_raw{warptune_host::__Bfloat16::__from(__a)};
}
inline float __bfloat162float(const __nv_bfloat16 __a) {
  return warptune_host::__float_of(__a);
}

inline __nv_bfloat162 __halves2bfloat162(const __nv_bfloat16 __low, const __nv_bfloat16 __high) {
  return {__low, __high};
}
inline __nv_bfloat162 make_bfloat162(const __nv_bfloat16 __low, const __nv_bfloat16 __high) {
  return {__low, __high};
}
inline __nv_bfloat162 __bfloat162bfloat162(const __nv_bfloat16 __a) {
  return {__a, __a};
}
inline __nv_bfloat162 __float2bfloat162_rn(float __a) {
  return {__float2bfloat16_rn(__a), __float2bfloat16_rn(__a)};
}
inline __nv_bfloat162 __floats2bfloat162_rn(float __low, float __high) {
  return {__float2bfloat16_rn(__low), __float2bfloat16_rn(__high)};
}
inline __nv_bfloat162 __float22bfloat162_rn(float2 __a) {
  return {__float2bfloat16_rn(__a.x), __float2bfloat16_rn(__a.y)};
}
inline float2 __bfloat1622float2(const __nv_bfloat162 __a) {
  return {__low2float(__a), __high2float(__a)};
}
inline __nv_bfloat16 __low2bfloat16(const __nv_bfloat162 __a) {
  return __a.x;
}
inline __nv_bfloat16 __high2bfloat16(const __nv_bfloat162 __a) {
  return __a.y;
}
inline __nv_bfloat162 __low2bfloat162(const __nv_bfloat162 __a) {
  return {__a.x, __a.x};
}
inline __nv_bfloat162 __high2bfloat162(const __nv_bfloat162 __a) {
  return {__a.y, __a.y};
}
inline __nv_bfloat162 __lows2bfloat162(const __nv_bfloat162 __a, const __nv_bfloat162 __b) {
  return {__a.x, __b.x};
}
inline __nv_bfloat162 __highs2bfloat162(const __nv_bfloat162 __a, const __nv_bfloat162 __b) {
  return {__a.y, __b.y};
}

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7F80U)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7F7FU)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000U)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000U)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3F80U)

#endif
