// Mathematical functions in the global namespace, with CUDA's overloads for float and for mixed integers.

#if WARPTUNE_STANDARD_MATH
// The source includes headers of the standard library that must agree with ours; they cost some 150 ms a compile.
#include <math.h>
#include <stdlib.h>
#else

#define WARPTUNE_UNARY(name)                       \
  extern "C" double name(double) noexcept(true);   \
  extern "C" float name##f(float) noexcept(true);  \
  inline float name(float x) {                     \
    return name##f(x);                             \
  }                                                \
  template <class T>                               \
  inline warptune_host::FromInteger<T> name(T x) { \
    return name(static_cast<double>(x));           \
  }
#define WARPTUNE_BINARY(name)                                    \
  extern "C" double name(double, double) noexcept(true);         \
  extern "C" float name##f(float, float) noexcept(true);         \
  inline float name(float x, float y) {                          \
    return name##f(x, y);                                        \
  }                                                              \
  template <class A, class B>                                    \
  inline warptune_host::FromMixed<A, B> name(A x, B y) {         \
    return name(static_cast<double>(x), static_cast<double>(y)); \
  }

WARPTUNE_UNARY(sin)
WARPTUNE_UNARY(cos)
WARPTUNE_UNARY(tan)
WARPTUNE_UNARY(asin)
WARPTUNE_UNARY(acos)
WARPTUNE_UNARY(atan)
WARPTUNE_UNARY(sinh)
WARPTUNE_UNARY(cosh)
WARPTUNE_UNARY(tanh)
WARPTUNE_UNARY(asinh)
WARPTUNE_UNARY(acosh)
WARPTUNE_UNARY(atanh)
WARPTUNE_UNARY(exp)
WARPTUNE_UNARY(exp2)
WARPTUNE_UNARY(expm1)
WARPTUNE_UNARY(log)
WARPTUNE_UNARY(log2)
WARPTUNE_UNARY(log10)
WARPTUNE_UNARY(log1p)
WARPTUNE_UNARY(sqrt)
WARPTUNE_UNARY(cbrt)
WARPTUNE_UNARY(fabs)
WARPTUNE_UNARY(floor)
WARPTUNE_UNARY(ceil)
WARPTUNE_UNARY(trunc)
WARPTUNE_UNARY(round)
WARPTUNE_UNARY(rint)
WARPTUNE_UNARY(nearbyint)
WARPTUNE_UNARY(erf)
WARPTUNE_UNARY(erfc)
WARPTUNE_UNARY(tgamma)
WARPTUNE_UNARY(lgamma)
WARPTUNE_UNARY(logb)
WARPTUNE_UNARY(j0)
WARPTUNE_UNARY(j1)
WARPTUNE_UNARY(y0)
WARPTUNE_UNARY(y1)
WARPTUNE_BINARY(pow)
WARPTUNE_BINARY(fmod)
WARPTUNE_BINARY(atan2)
WARPTUNE_BINARY(hypot)
WARPTUNE_BINARY(fmin)
WARPTUNE_BINARY(fmax)
WARPTUNE_BINARY(fdim)
WARPTUNE_BINARY(copysign)
WARPTUNE_BINARY(remainder)
WARPTUNE_BINARY(nextafter)

#undef WARPTUNE_UNARY
#undef WARPTUNE_BINARY

extern "C" double fma(double, double, double) noexcept(true);
extern "C" float fmaf(float, float, float) noexcept(true);
extern "C" double ldexp(double, int) noexcept(true);
extern "C" float ldexpf(float, int) noexcept(true);
extern "C" double frexp(double, int*) noexcept(true);
extern "C" float frexpf(float, int*) noexcept(true);
extern "C" double modf(double, double*) noexcept(true);
extern "C" float modff(float, float*) noexcept(true);
extern "C" double scalbn(double, int) noexcept(true);
extern "C" float scalbnf(float, int) noexcept(true);
extern "C" double scalbln(double, long) noexcept(true);
extern "C" float scalblnf(float, long) noexcept(true);
extern "C" double remquo(double, double, int*) noexcept(true);
extern "C" float remquof(float, float, int*) noexcept(true);
extern "C" double jn(int, double) noexcept(true);
extern "C" float jnf(int, float) noexcept(true);
extern "C" double yn(int, double) noexcept(true);
extern "C" float ynf(int, float) noexcept(true);
extern "C" double nan(const char*) noexcept(true);
extern "C" float nanf(const char*) noexcept(true);
extern "C" long lround(double) noexcept(true);
extern "C" long lroundf(float) noexcept(true);
extern "C" long lrint(double) noexcept(true);
extern "C" long lrintf(float) noexcept(true);
extern "C" long long llround(double) noexcept(true);
extern "C" long long llroundf(float) noexcept(true);
extern "C" long long llrint(double) noexcept(true);
extern "C" long long llrintf(float) noexcept(true);
extern "C" int ilogb(double) noexcept(true);
extern "C" int ilogbf(float) noexcept(true);
extern "C" int abs(int) noexcept(true);
extern "C" long labs(long) noexcept(true);
extern "C" long long llabs(long long) noexcept(true);

inline float fma(float x, float y, float z) {
  return fmaf(x, y, z);
}
inline float ldexp(float x, int n) {
  return ldexpf(x, n);
}
inline float frexp(float x, int* n) {
  return frexpf(x, n);
}
inline float modf(float x, float* whole) {
  return modff(x, whole);
}
inline long abs(long x) {
  return labs(x);
}
inline long long abs(long long x) {
  return llabs(x);
}
inline float abs(float x) {
  return __builtin_fabsf(x);
}
inline double abs(double x) {
  return __builtin_fabs(x);
}
inline bool isnan(float x) {
  return __builtin_isnan(x);
}
inline bool isnan(double x) {
  return __builtin_isnan(x);
}
inline bool isinf(float x) {
  return __builtin_isinf_sign(x) != 0;
}
inline bool isinf(double x) {
  return __builtin_isinf_sign(x) != 0;
}
inline bool isfinite(float x) {
  return __builtin_isfinite(x);
}
inline bool isfinite(double x) {
  return __builtin_isfinite(x);
}
inline bool signbit(float x) {
  return __builtin_signbit(x) != 0;
}
inline bool signbit(double x) {
  return __builtin_signbit(x) != 0;
}

#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define HUGE_VAL __builtin_huge_val()
#define HUGE_VALF __builtin_huge_valf()
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440

#endif

inline float rsqrtf(float x) {
  return 1.0f / sqrtf(x);
}
inline double rsqrt(double x) {
  return 1.0 / sqrt(x);
}
inline float rsqrt(float x) {
  return rsqrtf(x);
}
inline float rcbrtf(float x) {
  return 1.0f / cbrtf(x);
}
inline double rcbrt(double x) {
  return 1.0 / cbrt(x);
}
inline float exp10f(float x) {
  return powf(10.0f, x);
}
inline double exp10(double x) {
  return pow(10.0, x);
}
inline float sinpif(float x) {
  return sinf(x * 3.14159265358979f);
}
inline double sinpi(double x) {
  return sin(x * 3.14159265358979323846);
}
inline float cospif(float x) {
  return cosf(x * 3.14159265358979f);
}
inline double cospi(double x) {
  return cos(x * 3.14159265358979323846);
}
inline float fdividef(float x, float y) {
  return x / y;
}
inline void sincosf(float x, float* sine, float* cosine) {
  *sine = sinf(x), *cosine = cosf(x);
}
inline void sincos(double x, double* sine, double* cosine) {
  *sine = sin(x), *cosine = cos(x);
}
inline void sincospif(float x, float* sine, float* cosine) {
  *sine = sinpif(x), *cosine = cospif(x);
}
inline void sincospi(double x, double* sine, double* cosine) {
  *sine = sinpi(x), *cosine = cospi(x);
}
inline float normf(int n, const float* v) {
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += v[i] * v[i];
  return sqrtf(sum);
}
inline float norm3df(float x, float y, float z) {
  return sqrtf(x * x + y * y + z * z);
}
inline double norm3d(double x, double y, double z) {
  return sqrt(x * x + y * y + z * z);
}
inline float rhypotf(float x, float y) {
  return 1.0f / hypotf(x, y);
}
inline double rhypot(double x, double y) {
  return 1.0 / hypot(x, y);
}

inline void sincos(float x, float* sine, float* cosine) {
  sincosf(x, sine, cosine);
}
inline void sincospi(float x, float* sine, float* cosine) {
  sincospif(x, sine, cosine);
}
inline double fdivide(double x, double y) {
  return x / y;
}
inline double norm(int n, const double* v) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += v[i] * v[i];
  return sqrt(sum);
}
inline float norm4df(float x, float y, float z, float w) {
  return sqrtf(x * x + y * y + z * z + w * w);
}
inline double norm4d(double x, double y, double z, double w) {
  return sqrt(x * x + y * y + z * z + w * w);
}
inline float rnormf(int n, const float* v) {
  return 1.0f / normf(n, v);
}
inline double rnorm(int n, const double* v) {
  return 1.0 / norm(n, v);
}
inline float rnorm3df(float x, float y, float z) {
  return 1.0f / norm3df(x, y, z);
}
inline double rnorm3d(double x, double y, double z) {
  return 1.0 / norm3d(x, y, z);
}
inline float rnorm4df(float x, float y, float z, float w) {
  return 1.0f / norm4df(x, y, z, w);
}
inline double rnorm4d(double x, double y, double z, double w) {
  return 1.0 / norm4d(x, y, z, w);
}
inline unsigned umin(unsigned a, unsigned b) {
  return a < b ? a : b;
}
inline unsigned umax(unsigned a, unsigned b) {
  return a < b ? b : a;
}
inline long long llmin(long long a, long long b) {
  return a < b ? a : b;
}
inline long long llmax(long long a, long long b) {
  return a < b ? b : a;
}
inline unsigned long long ullmin(unsigned long long a, unsigned long long b) {
  return a < b ? a : b;
}
inline unsigned long long ullmax(unsigned long long a, unsigned long long b) {
  return a < b ? b : a;
}

// CUDA's min and max: both operands take the usual arithmetic conversions, and floating point ignores NaN.
template <class A, class B>
constexpr typename warptune_host::Common<A, B>::type min(A a, B b) {
  using T = typename warptune_host::Common<A, B>::type;
  return static_cast<T>(b) < static_cast<T>(a) ? static_cast<T>(b) : static_cast<T>(a);
}
template <class A, class B>
constexpr typename warptune_host::Common<A, B>::type max(A a, B b) {
  using T = typename warptune_host::Common<A, B>::type;
  return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(b) : static_cast<T>(a);
}
inline float min(float a, float b) {
  return fminf(a, b);
}
inline float max(float a, float b) {
  return fmaxf(a, b);
}
inline double min(double a, double b) {
  return fmin(a, b);
}
inline double max(double a, double b) {
  return fmax(a, b);
}
