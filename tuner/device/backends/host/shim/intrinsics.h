// Intrinsics: bits, conversions with a named rounding, and the fast, less exact functions, which here are the exact
// ones.

inline int __popc(unsigned x) {
  return __builtin_popcount(x);
}
inline int __popcll(unsigned long long x) {
  return __builtin_popcountll(x);
}
inline int __clz(int x) {
  return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x));
}
inline int __clzll(long long x) {
  return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
inline int __ffs(int x) {
  return __builtin_ffs(x);
}
inline int __ffsll(long long x) {
  return __builtin_ffsll(x);
}
inline unsigned __brev(unsigned x) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
  return __builtin_bswap32(x);
}
inline unsigned long long __brevll(unsigned long long x) {
  return static_cast<unsigned long long>(__brev(static_cast<unsigned>(x))) << 32 |
         __brev(static_cast<unsigned>(x >> 32));
}
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const unsigned long long bytes = static_cast<unsigned long long>(y) << 32 | x;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) result |= static_cast<unsigned>(bytes >> ((selector >> 4 * i & 7) * 8) & 0xff) << 8 * i;
  return result;
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned n) {
  return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) << (n & 31) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned n) {
  return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) >> (n & 31));
}
inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned n) {
  return n >= 32 ? low : __funnelshift_l(low, high, n);
}
inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned n) {
  return n >= 32 ? high : __funnelshift_r(low, high, n);
}
// The n-th set bit from `base` on, upward or, for a negative n, downward; 0 asks for the base's own.
inline unsigned __fns(unsigned mask, unsigned base, int n) {
  if (n == 0) return (mask >> (base & 31) & 1) != 0 ? base : ~0u;
  const int step = n > 0 ? 1 : -1;
  for (int at = static_cast<int>(base); at >= 0 && at < 32; at += step)
    if ((mask >> at & 1) != 0 && (n -= step) == 0) return static_cast<unsigned>(at);
  return ~0u;
}
inline int __mul24(int x, int y) {
  return static_cast<int>(static_cast<unsigned>(x << 8 >> 8) * static_cast<unsigned>(y << 8 >> 8));
}
inline unsigned __umul24(unsigned x, unsigned y) {
  return (x & 0xffffff) * (y & 0xffffff);
}
inline int __mulhi(int x, int y) {
  return static_cast<int>(static_cast<long long>(x) * y >> 32);
}
inline unsigned __umulhi(unsigned x, unsigned y) {
  return static_cast<unsigned>(static_cast<unsigned long long>(x) * y >> 32);
}
inline long long __mul64hi(long long x, long long y) {
  return static_cast<long long>(static_cast<__int128>(x) * y >> 64);
}
inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(x) * y >> 64);
}
inline unsigned __sad(int x, int y, unsigned z) {
  return z + (x < y ? static_cast<unsigned>(y) - static_cast<unsigned>(x)
                    : static_cast<unsigned>(x) - static_cast<unsigned>(y));
}
inline unsigned __usad(unsigned x, unsigned y, unsigned z) {
  return z + (x < y ? y - x : x - y);
}
inline int __hadd(int x, int y) {
  return static_cast<int>((static_cast<long long>(x) + y) >> 1);
}
inline int __rhadd(int x, int y) {
  return static_cast<int>((static_cast<long long>(x) + y + 1) >> 1);
}
inline unsigned __uhadd(unsigned x, unsigned y) {
  return static_cast<unsigned>((static_cast<unsigned long long>(x) + y) >> 1);
}
inline unsigned __urhadd(unsigned x, unsigned y) {
  return static_cast<unsigned>((static_cast<unsigned long long>(x) + y + 1) >> 1);
}
inline int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 32; i += 8) c += static_cast<signed char>(a >> i) * static_cast<signed char>(b >> i);
  return c;
}

inline int __float_as_int(float x) {
  return warptune_host::__from_word<int>(warptune_host::__to_word(x));
}
inline unsigned __float_as_uint(float x) {
  return warptune_host::__from_word<unsigned>(warptune_host::__to_word(x));
}
inline float __int_as_float(int x) {
  return warptune_host::__from_word<float>(warptune_host::__to_word(x));
}
inline float __uint_as_float(unsigned x) {
  return warptune_host::__from_word<float>(warptune_host::__to_word(x));
}
inline long long __double_as_longlong(double x) {
  return warptune_host::__from_word<long long>(warptune_host::__to_word(x));
}
inline double __longlong_as_double(long long x) {
  return warptune_host::__from_word<double>(warptune_host::__to_word(x));
}
inline int __double2hiint(double x) {
  return static_cast<int>(__double_as_longlong(x) >> 32);
}
inline int __double2loint(double x) {
  return static_cast<int>(__double_as_longlong(x));
}
inline double __hiloint2double(int high, int low) {
  return __longlong_as_double(
      static_cast<long long>(static_cast<unsigned long long>(high) << 32 | static_cast<unsigned>(low)));
}

namespace warptune_host {

// As the GPU converts: out of range saturates; NaN becomes zero, or the highest bit alone if one of the types has 64
// bits (PTX ISA, "cvt").
template <class To, class From>
inline To __saturated(From x, To low, To high) {
  constexpr bool wide = sizeof(To) == 8 || sizeof(From) == 8;
  if (!(x == x)) return wide ? static_cast<To>(Word{1} << (8 * sizeof(To) - 1)) : To();
  if (x <= static_cast<From>(low)) return low;
  return x >= static_cast<From>(high) ? high : static_cast<To>(x);
}
template <class From>
inline int to_int(From x) {
  return __saturated<int>(x, INT_MIN, INT_MAX);
}
template <class From>
inline unsigned to_uint(From x) {
  return __saturated<unsigned>(x, 0u, UINT_MAX);
}
template <class From>
inline long long to_ll(From x) {
  return __saturated<long long>(x, LLONG_MIN, LLONG_MAX);
}
template <class From>
inline unsigned long long to_ull(From x) {
  return __saturated<unsigned long long>(x, 0ull, ULLONG_MAX);
}

}  // namespace warptune_host

#define WARPTUNE_ROUNDINGS(from, type, suffix)                 \
  inline int __##from##2int_rn(type x) {                       \
    return warptune_host::to_int(__builtin_rint##suffix(x));   \
  }                                                            \
  inline int __##from##2int_rz(type x) {                       \
    return warptune_host::to_int(__builtin_trunc##suffix(x));  \
  }                                                            \
  inline int __##from##2int_rd(type x) {                       \
    return warptune_host::to_int(__builtin_floor##suffix(x));  \
  }                                                            \
  inline int __##from##2int_ru(type x) {                       \
    return warptune_host::to_int(__builtin_ceil##suffix(x));   \
  }                                                            \
  inline unsigned __##from##2uint_rn(type x) {                 \
    return warptune_host::to_uint(__builtin_rint##suffix(x));  \
  }                                                            \
  inline unsigned __##from##2uint_rz(type x) {                 \
    return warptune_host::to_uint(__builtin_trunc##suffix(x)); \
  }                                                            \
  inline unsigned __##from##2uint_rd(type x) {                 \
    return warptune_host::to_uint(__builtin_floor##suffix(x)); \
  }                                                            \
  inline unsigned __##from##2uint_ru(type x) {                 \
    return warptune_host::to_uint(__builtin_ceil##suffix(x));  \
  }                                                            \
  inline long long __##from##2ll_rn(type x) {                  \
    return warptune_host::to_ll(__builtin_rint##suffix(x));    \
  }                                                            \
  inline long long __##from##2ll_rz(type x) {                  \
    return warptune_host::to_ll(__builtin_trunc##suffix(x));   \
  }                                                            \
  inline long long __##from##2ll_rd(type x) {                  \
    return warptune_host::to_ll(__builtin_floor##suffix(x));   \
  }                                                            \
  inline long long __##from##2ll_ru(type x) {                  \
    return warptune_host::to_ll(__builtin_ceil##suffix(x));    \
  }                                                            \
  inline unsigned long long __##from##2ull_rn(type x) {        \
    return warptune_host::to_ull(__builtin_rint##suffix(x));   \
  }                                                            \
  inline unsigned long long __##from##2ull_rz(type x) {        \
    return warptune_host::to_ull(__builtin_trunc##suffix(x));  \
  }                                                            \
  inline unsigned long long __##from##2ull_rd(type x) {        \
    return warptune_host::to_ull(__builtin_floor##suffix(x));  \
  }                                                            \
  inline unsigned long long __##from##2ull_ru(type x) {        \
    return warptune_host::to_ull(__builtin_ceil##suffix(x));   \
  }
WARPTUNE_ROUNDINGS(float, float, f)
WARPTUNE_ROUNDINGS(double, double, )
#undef WARPTUNE_ROUNDINGS

inline float __int2float_rn(int x) {
  return static_cast<float>(x);
}
inline float __uint2float_rn(unsigned x) {
  return static_cast<float>(x);
}
inline float __ll2float_rn(long long x) {
  return static_cast<float>(x);
}
inline float __ull2float_rn(unsigned long long x) {
  return static_cast<float>(x);
}
inline double __int2double_rn(int x) {
  return x;
}
inline double __uint2double_rn(unsigned x) {
  return x;
}
inline double __ull2double_rn(unsigned long long x) {
  return static_cast<double>(x);
}
inline double __ll2double_rn(long long x) {
  return static_cast<double>(x);
}
inline float __double2float_rn(double x) {
  return static_cast<float>(x);
}

// Each of these rounds once: the product of __fmul_rn is never fused with a sum. A volatile keeps the compiler from it.
#define WARPTUNE_ROUNDED(name, type, expression) \
  inline type name(type x, type y) {             \
    volatile type result = expression;           \
    return result;                               \
  }
WARPTUNE_ROUNDED(__fadd_rn, float, x + y)
WARPTUNE_ROUNDED(__fsub_rn, float, x - y)
WARPTUNE_ROUNDED(__fmul_rn, float, x* y)
WARPTUNE_ROUNDED(__fdiv_rn, float, x / y)
WARPTUNE_ROUNDED(__dadd_rn, double, x + y)
WARPTUNE_ROUNDED(__dsub_rn, double, x - y)
WARPTUNE_ROUNDED(__dmul_rn, double, x* y)
WARPTUNE_ROUNDED(__ddiv_rn, double, x / y)
#undef WARPTUNE_ROUNDED
inline float __fmaf_rn(float x, float y, float z) {
  return fmaf(x, y, z);
}
inline double __fma_rn(double x, double y, double z) {
  return fma(x, y, z);
}
inline float __frcp_rn(float x) {
  return 1.0f / x;
}
inline double __drcp_rn(double x) {
  return 1.0 / x;
}
inline float __fsqrt_rn(float x) {
  return sqrtf(x);
}
inline double __dsqrt_rn(double x) {
  return sqrt(x);
}
inline float __frsqrt_rn(float x) {
  return static_cast<float>(1.0 / sqrt(static_cast<double>(x)));
}

inline float __expf(float x) {
  return expf(x);
}
inline float __exp10f(float x) {
  return exp10f(x);
}
inline float __logf(float x) {
  return logf(x);
}
inline float __log2f(float x) {
  return log2f(x);
}
inline float __log10f(float x) {
  return log10f(x);
}
inline float __sinf(float x) {
  return sinf(x);
}
inline float __cosf(float x) {
  return cosf(x);
}
inline float __tanf(float x) {
  return tanf(x);
}
inline void __sincosf(float x, float* sine, float* cosine) {
  sincosf(x, sine, cosine);
}
inline float __tanhf(float x) {
  return tanhf(x);
}
inline float __powf(float x, float y) {
  return powf(x, y);
}
inline float __fdividef(float x, float y) {
  return x / y;
}
inline float __saturatef(float x) {
  return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f;
}

// Loads and stores with a cache hint: the hint has no meaning here.
#define WARPTUNE_LOAD(name)      \
  template <class T>             \
  inline T name(const T* from) { \
    return *from;                \
  }
#define WARPTUNE_STORE(name)                                 \
  template <class T>                                         \
  inline void name(T* to, warptune_host::Operand<T> value) { \
    *to = value;                                             \
  }
WARPTUNE_LOAD(__ldg)
WARPTUNE_LOAD(__ldca)
WARPTUNE_LOAD(__ldcg)
WARPTUNE_LOAD(__ldcs)
WARPTUNE_LOAD(__ldlu)
WARPTUNE_LOAD(__ldcv)
WARPTUNE_STORE(__stwb)
WARPTUNE_STORE(__stcg)
WARPTUNE_STORE(__stcs)
WARPTUNE_STORE(__stwt)
#undef WARPTUNE_LOAD
#undef WARPTUNE_STORE
