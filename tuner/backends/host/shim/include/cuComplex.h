// CUDA's <cuComplex.h> on the host: complex numbers as pairs, and functions of them by CUDA's names. Absolute values
// and quotients scale by the larger part first, as CUDA's do, so that they overflow for the same numbers.
#ifndef WARPTUNE_HOST_CU_COMPLEX
#define WARPTUNE_HOST_CU_COMPLEX

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define WARPTUNE_COMPLEX(complex, real, suffix, end, largest)                        \
  inline real cuCreal##suffix(complex x) {                                           \
    return x.x;                                                                      \
  }                                                                                  \
  inline real cuCimag##suffix(complex x) {                                           \
    return x.y;                                                                      \
  }                                                                                  \
  inline complex make_##complex(real r, real i) {                                    \
    return complex{r, i};                                                            \
  }                                                                                  \
  inline complex cuConj##suffix(complex x) {                                         \
    return complex{x.x, -x.y};                                                       \
  }                                                                                  \
  inline complex cuCadd##suffix(complex x, complex y) {                              \
    return complex{x.x + y.x, x.y + y.y};                                            \
  }                                                                                  \
  inline complex cuCsub##suffix(complex x, complex y) {                              \
    return complex{x.x - y.x, x.y - y.y};                                            \
  }                                                                                  \
  inline complex cuCmul##suffix(complex x, complex y) {                              \
    return complex{x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x};                    \
  }                                                                                  \
  inline complex cuCdiv##suffix(complex x, complex y) {                              \
    const real scale = real(1) / (fabs##end(y.x) + fabs##end(y.y));                  \
    const real a = x.x * scale, b = x.y * scale;                                     \
    const real c = y.x * scale, d = y.y * scale;                                     \
    const real over = real(1) / (c * c + d * d);                                     \
    return complex{(a * c + b * d) * over, (b * c - a * d) * over};                  \
  }                                                                                  \
  inline real cuCabs##suffix(complex x) {                                            \
    const real a = fabs##end(x.x), b = fabs##end(x.y);                               \
    const real most = a > b ? a : b, least = a > b ? b : a;                          \
    const real ratio = least / most;                                                 \
    const bool plain = most == 0 || most > largest || least > largest;               \
    return plain ? a + b : most * sqrt##end(real(1) + ratio * ratio);                \
  }                                                                                  \
  inline complex cuCfma##suffix(complex x, complex y, complex z) {                   \
    return complex{-(x.y * y.y) + (x.x * y.x + z.x), x.y * y.x + (x.x * y.y + z.y)}; \
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
