// Arithmetic and conversions that are rounded downward, upward or toward zero: the processor does it when told to.
// Operands and results are volatile, so that nothing is computed before or after its rounding is set.

#if WARPTUNE_SELDOM_FUNCTIONS

#if defined(__aarch64__)
#define WARPTUNE_DOWNWARD 0x800000
#define WARPTUNE_UPWARD 0x400000
#define WARPTUNE_TOWARD_ZERO 0xc00000
#else
#define WARPTUNE_DOWNWARD 0x400
#define WARPTUNE_UPWARD 0x800
#define WARPTUNE_TOWARD_ZERO 0xc00
#endif

extern "C" int fesetround(int) noexcept(true);

namespace warptune_host {

template <class To, class From, class F>
inline To rounded(int how, From a, From b, From c, F compute) {
  const volatile From x = a, y = b, z = c;
  fesetround(how);
  const volatile To result = compute(x, y, z);
  fesetround(0);
  return result;
}

}  // namespace warptune_host

#define WARPTUNE_DIRECTED(name, to, from, parameters, x, y, z, expression)                                            \
  inline to name##_rd parameters {                                                                                    \
    return warptune_host::rounded<to, from>(                                                                          \
        WARPTUNE_DOWNWARD, x, y, z, [](from a, from b, from c) { return (void)a, (void)b, (void)c, expression; });    \
  }                                                                                                                   \
  inline to name##_ru parameters {                                                                                    \
    return warptune_host::rounded<to, from>(                                                                          \
        WARPTUNE_UPWARD, x, y, z, [](from a, from b, from c) { return (void)a, (void)b, (void)c, expression; });      \
  }                                                                                                                   \
  inline to name##_rz parameters {                                                                                    \
    return warptune_host::rounded<to, from>(                                                                          \
        WARPTUNE_TOWARD_ZERO, x, y, z, [](from a, from b, from c) { return (void)a, (void)b, (void)c, expression; }); \
  }
#define WARPTUNE_DIRECTED1(name, to, from, expression) WARPTUNE_DIRECTED(name, to, from, (from x), x, x, x, expression)
#define WARPTUNE_DIRECTED2(name, type, expression) \
  WARPTUNE_DIRECTED(name, type, type, (type x, type y), x, y, y, expression)
#define WARPTUNE_DIRECTED3(name, type, expression) \
  WARPTUNE_DIRECTED(name, type, type, (type x, type y, type z), x, y, z, expression)
WARPTUNE_DIRECTED2(__fadd, float, a + b)
WARPTUNE_DIRECTED2(__fsub, float, a - b)
WARPTUNE_DIRECTED2(__fmul, float, a* b)
WARPTUNE_DIRECTED2(__fdiv, float, a / b)
WARPTUNE_DIRECTED3(__fmaf, float, __builtin_fmaf(a, b, c))
WARPTUNE_DIRECTED3(__fmaf_ieee, float, __builtin_fmaf(a, b, c))
WARPTUNE_DIRECTED1(__frcp, float, float, 1.0f / a)
WARPTUNE_DIRECTED1(__fsqrt, float, float, __builtin_sqrtf(a))
WARPTUNE_DIRECTED2(__dadd, double, a + b)
WARPTUNE_DIRECTED2(__dsub, double, a - b)
WARPTUNE_DIRECTED2(__dmul, double, a* b)
WARPTUNE_DIRECTED2(__ddiv, double, a / b)
WARPTUNE_DIRECTED3(__fma, double, __builtin_fma(a, b, c))
WARPTUNE_DIRECTED1(__drcp, double, double, 1.0 / a)
WARPTUNE_DIRECTED1(__dsqrt, double, double, __builtin_sqrt(a))
WARPTUNE_DIRECTED1(__double2float, float, double, static_cast<float>(a))
WARPTUNE_DIRECTED1(__int2float, float, int, static_cast<float>(a))
WARPTUNE_DIRECTED1(__uint2float, float, unsigned, static_cast<float>(a))
WARPTUNE_DIRECTED1(__ll2float, float, long long, static_cast<float>(a))
WARPTUNE_DIRECTED1(__ull2float, float, unsigned long long, static_cast<float>(a))
WARPTUNE_DIRECTED1(__ll2double, double, long long, static_cast<double>(a))
WARPTUNE_DIRECTED1(__ull2double, double, unsigned long long, static_cast<double>(a))
#undef WARPTUNE_DIRECTED
#undef WARPTUNE_DIRECTED1
#undef WARPTUNE_DIRECTED2
#undef WARPTUNE_DIRECTED3
#undef WARPTUNE_DOWNWARD
#undef WARPTUNE_UPWARD
#undef WARPTUNE_TOWARD_ZERO
inline float __fmaf_ieee_rn(float x, float y, float z) {
  return fmaf(x, y, z);
}

#endif
