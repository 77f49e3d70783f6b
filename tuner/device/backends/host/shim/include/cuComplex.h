// CUDA's <cuComplex.h> on the host: complex numbers as pairs, and functions of them by CUDA's names. Absolute values
// and quotients scale by the larger part first, as CUDA's do, so that they overflow for the same numbers.
#ifndef WARPTUNE_HOST_CU_COMPLEX
#define WARPTUNE_HOST_CU_COMPLEX

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define WARPTUNE_COMPLEX(__number, __part, __suffix, __end, __largest)                   \
  inline __part cuCreal##__suffix(__number x) {                                          \
    return x.x;                                                                          \
  }                                                                                      \
  inline __part cuCimag##__suffix(__number x) {                                          \
    return x.y;                                                                          \
  }                                                                                      \
  inline __number make_##__number(__part __r, __part __i) {                              \
    return __number{__r, __i};                                                           \
  }                                                                                      \
  inline __number cuConj##__suffix(__number x) {                                         \
    return __number{x.x, -x.y};                                                          \
  }                                                                                      \
  inline __number cuCadd##__suffix(__number x, __number y) {                             \
    return __number{x.x + y.x, x.y + y.y};                                               \
  }                                                                                      \
  inline __number cuCsub##__suffix(__number x, __number y) {                             \
    return __number{x.x - y.x, x.y - y.y};                                               \
  }                                                                                      \
  inline __number cuCmul##__suffix(__number x, __number y) {                             \
    return __number{x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x};                       \
  }                                                                                      \
  inline __number cuCdiv##__suffix(__number x, __number y) {                             \
    const __part __scale = __part(1) / (fabs##__end(y.x) + fabs##__end(y.y));            \
    const __part __a = x.x * __scale, __b = x.y * __scale;                               \
    const __part __c = y.x * __scale, __d = y.y * __scale;                               \
    const __part __over = __part(1) / (__c * __c + __d * __d);                           \
    return __number{(__a * __c + __b * __d) * __over, (__b * __c - __a * __d) * __over}; \
  }                                                                                      \
  inline __part cuCabs##__suffix(__number x) {                                           \
    const __part __a = fabs##__end(x.x), __b = fabs##__end(x.y);                         \
    const __part __most = __a > __b ? __a : __b, __least = __a > __b ? __b : __a;        \
    const __part __ratio = __least / __most;                                             \
    const bool __plain = __most == 0 || __most > __largest || __least > __largest;       \
    return __plain ? __a + __b : __most * sqrt##__end(__part(1) + __ratio * __ratio);    \
  }                                                                                      \
  inline __number cuCfma##__suffix(__number x, __number y, __number z) {                 \
    return __number{-(x.y * y.y) + (x.x * y.x + z.x), x.y * y.x + (x.x * y.y + z.y)};    \
  }

WARPTUNE_COMPLEX(cuFloatComplex, float, f, f, 3.402823466e38f)
WARPTUNE_COMPLEX(cuDoubleComplex, double, , , 1.79769313486231570e308)
#undef WARPTUNE_COMPLEX

inline cuComplex make_cuComplex(float x, float y) {
  return cuComplex{x, y};
}
inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex x) {
  return cuDoubleComplex{x.x, x.y};
}
inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex x) {
  return cuFloatComplex{static_cast<float>(x.x), static_cast<float>(x.y)};
}

#endif
