// A 16-bit number, a pair of them, and all functions that CUDA gives both formats under the same name. Included once
// for each format, with these macros: NUMBER, PAIR and their _RAW forms, FORMAT (formats16.h), FROM(x) and TO(x,
// rounding), the names of the conversions from and to an integer type, OPERATORS, PAIR_OPERATORS and CONVERSIONS (0 or
// 1: what kernels can switch off), all with WARPTUNE_ before them.

struct __attribute__((__aligned__(2))) WARPTUNE_RAW {
  unsigned short x;
};
struct __attribute__((__aligned__(4))) WARPTUNE_PAIR_RAW {
  unsigned short x, y;
};

struct __attribute__((__aligned__(2))) WARPTUNE_NUMBER {
  WARPTUNE_NUMBER() = default;
#if WARPTUNE_TRACKED  // GCC does not tell of what a call takes or returns as a whole
  constexpr WARPTUNE_NUMBER(const WARPTUNE_NUMBER& __other) : __x(__other.__x) {}
  WARPTUNE_NUMBER& operator=(const WARPTUNE_NUMBER& __other) {
    __x = __other.__x;
    return *this;
  }
#endif
  constexpr WARPTUNE_NUMBER(const WARPTUNE_RAW& __raw) : __x(__raw.x) {}
  operator WARPTUNE_RAW() const {
    return {__x};
  }
#if WARPTUNE_CONVERSIONS
  WARPTUNE_NUMBER(float __value) : __x(WARPTUNE_FORMAT::__from(__value)) {}
  WARPTUNE_NUMBER(double __value) : __x(WARPTUNE_FORMAT::__from(__value)) {}
  operator float() const {
    return WARPTUNE_FORMAT::__to_float(__x);
  }
  constexpr operator bool() const {
    return (__x & 0x7fff) != 0;
  }
#define WARPTUNE_INTEGER(__type, __wide, __low, __high)                                                           \
  WARPTUNE_NUMBER(__type __value)                                                                                 \
      : __x(WARPTUNE_FORMAT::__from(warptune_host::__odd_double(static_cast<__wide>(__value)))) {}                \
  operator __type() const {                                                                                       \
    return warptune_host::__saturated<__type>(__builtin_truncf(WARPTUNE_FORMAT::__to_float(__x)), __low, __high); \
  }
  WARPTUNE_INTEGER(short, long long, SHRT_MIN, SHRT_MAX)
  WARPTUNE_INTEGER(unsigned short, unsigned long long, 0, USHRT_MAX)
  WARPTUNE_INTEGER(int, long long, INT_MIN, INT_MAX)
  WARPTUNE_INTEGER(unsigned, unsigned long long, 0, UINT_MAX)
  WARPTUNE_INTEGER(long, long long, LONG_MIN, LONG_MAX)
  WARPTUNE_INTEGER(unsigned long, unsigned long long, 0, ULONG_MAX)
  WARPTUNE_INTEGER(long long, long long, LLONG_MIN, LLONG_MAX)
  WARPTUNE_INTEGER(unsigned long long, unsigned long long, 0, ULLONG_MAX)
#undef WARPTUNE_INTEGER
#define WARPTUNE_INTEGER(__type, __low, __high)                                                                   \
  operator __type() const {                                                                                       \
    return warptune_host::__saturated<__type>(__builtin_truncf(WARPTUNE_FORMAT::__to_float(__x)), __low, __high); \
  }
  WARPTUNE_INTEGER(char, CHAR_MIN, CHAR_MAX)
  WARPTUNE_INTEGER(signed char, SCHAR_MIN, SCHAR_MAX)
  WARPTUNE_INTEGER(unsigned char, 0, UCHAR_MAX)
#undef WARPTUNE_INTEGER
#endif

 protected:
  unsigned short __x;
};

struct __attribute__((__aligned__(4))) WARPTUNE_PAIR {
  WARPTUNE_PAIR() = default;
#if WARPTUNE_TRACKED
  WARPTUNE_PAIR(const WARPTUNE_PAIR& __other) {
    *this = __other;
  }
  WARPTUNE_PAIR& operator=(const WARPTUNE_PAIR& __other) {
    *reinterpret_cast<unsigned*>(this) = *reinterpret_cast<const unsigned*>(&__other);
    return *this;
  }
#endif
  constexpr WARPTUNE_PAIR(const WARPTUNE_NUMBER& __low, const WARPTUNE_NUMBER& __high) : x(__low), y(__high) {}
  WARPTUNE_PAIR(const WARPTUNE_PAIR_RAW& __raw) : x(WARPTUNE_RAW{__raw.x}), y(WARPTUNE_RAW{__raw.y}) {}
  operator WARPTUNE_PAIR_RAW() const {
    return {WARPTUNE_RAW(x).x, WARPTUNE_RAW(y).x};
  }
  WARPTUNE_NUMBER x, y;
};

namespace warptune_host {

// Overloads for the format, by which the functions below speak of it.
inline unsigned short __bits_of(const WARPTUNE_NUMBER& __value) {
  return WARPTUNE_RAW(__value).x;
}
inline float __float_of(const WARPTUNE_NUMBER& __value) {
  return WARPTUNE_FORMAT::__to_float(__bits_of(__value));
}
inline WARPTUNE_NUMBER __like(const WARPTUNE_NUMBER&, float __value) {
  return WARPTUNE_RAW{WARPTUNE_FORMAT::__from(__value)};
}
inline WARPTUNE_NUMBER __like(const WARPTUNE_NUMBER&, double __value) {
  return WARPTUNE_RAW{WARPTUNE_FORMAT::__from(__value)};
}
inline WARPTUNE_NUMBER __with_bits(const WARPTUNE_NUMBER&, unsigned __bits) {
  return WARPTUNE_RAW{static_cast<unsigned short>(__bits)};
}
inline WARPTUNE_NUMBER __clamped(const WARPTUNE_NUMBER& __value) {
  return __with_bits(
      __value, __float_of(__value) > 0 ? (__float_of(__value) < 1 ? __bits_of(__value) : WARPTUNE_FORMAT::__one) : 0);
}
inline WARPTUNE_NUMBER __not_negative(const WARPTUNE_NUMBER& __value) {
  return __float_of(__value) <= 0 ? __with_bits(__value, 0) : __value;
}
// The order of the bits, with -0 before +0.
inline bool __is_below(const WARPTUNE_NUMBER& __a, const WARPTUNE_NUMBER& __b) {
  return __float_of(__a) < __float_of(__b) ||
         (__float_of(__a) == __float_of(__b) && __bits_of(__a) > __bits_of(__b) && __bits_of(__b) == 0);
}

}  // namespace warptune_host

// Conversions from and to integers, in all four roundings.
#define WARPTUNE_FROM_INTEGER(__name, __type, __wide)                                                                \
  inline WARPTUNE_NUMBER WARPTUNE_FROM(__name, _rn)(__type __value) {                                                \
    return WARPTUNE_RAW{WARPTUNE_FORMAT::__from(warptune_host::__odd_double(static_cast<__wide>(__value)))};         \
  }                                                                                                                  \
  inline WARPTUNE_NUMBER WARPTUNE_FROM(__name, _rz)(__type __value) {                                                \
    return WARPTUNE_RAW{WARPTUNE_FORMAT::__from(warptune_host::__odd_double(static_cast<__wide>(__value)),           \
                                                warptune_host::__kTowardZero)};                                      \
  }                                                                                                                  \
  inline WARPTUNE_NUMBER WARPTUNE_FROM(__name, _rd)(__type __value) {                                                \
    return WARPTUNE_RAW{                                                                                             \
        WARPTUNE_FORMAT::__from(warptune_host::__odd_double(static_cast<__wide>(__value)), warptune_host::__kDown)}; \
  }                                                                                                                  \
  inline WARPTUNE_NUMBER WARPTUNE_FROM(__name, _ru)(__type __value) {                                                \
    return WARPTUNE_RAW{                                                                                             \
        WARPTUNE_FORMAT::__from(warptune_host::__odd_double(static_cast<__wide>(__value)), warptune_host::__kUp)};   \
  }
#define WARPTUNE_ROUNDED_TO(__name, __type, __low, __high, __rounding, __function)                            \
  inline __type WARPTUNE_TO(__name, __rounding)(const WARPTUNE_NUMBER __value) {                              \
    return warptune_host::__saturated<__type>(__function(warptune_host::__float_of(__value)), __low, __high); \
  }
#define WARPTUNE_TO_INTEGER(__name, __type, __low, __high)                  \
  WARPTUNE_ROUNDED_TO(__name, __type, __low, __high, _rn, __builtin_rintf)  \
  WARPTUNE_ROUNDED_TO(__name, __type, __low, __high, _rz, __builtin_truncf) \
  WARPTUNE_ROUNDED_TO(__name, __type, __low, __high, _rd, __builtin_floorf) \
  WARPTUNE_ROUNDED_TO(__name, __type, __low, __high, _ru, __builtin_ceilf)
WARPTUNE_FROM_INTEGER(__short, short, long long)
WARPTUNE_FROM_INTEGER(__ushort, unsigned short, long long)
WARPTUNE_FROM_INTEGER(__int, int, long long)
WARPTUNE_FROM_INTEGER(__uint, unsigned, long long)
WARPTUNE_FROM_INTEGER(__ll, long long, long long)
WARPTUNE_FROM_INTEGER(__ull, unsigned long long, unsigned long long)
WARPTUNE_TO_INTEGER(2short, short, SHRT_MIN, SHRT_MAX)
WARPTUNE_TO_INTEGER(2ushort, unsigned short, 0, USHRT_MAX)
WARPTUNE_TO_INTEGER(2int, int, INT_MIN, INT_MAX)
WARPTUNE_TO_INTEGER(2uint, unsigned, 0, UINT_MAX)
WARPTUNE_TO_INTEGER(2ll, long long, LLONG_MIN, LLONG_MAX)
WARPTUNE_TO_INTEGER(2ull, unsigned long long, 0, ULLONG_MAX)
WARPTUNE_ROUNDED_TO(2char, signed char, SCHAR_MIN, SCHAR_MAX, _rz, __builtin_truncf)
WARPTUNE_ROUNDED_TO(2uchar, unsigned char, 0, UCHAR_MAX, _rz, __builtin_truncf)
#undef WARPTUNE_FROM_INTEGER
#undef WARPTUNE_ROUNDED_TO
#undef WARPTUNE_TO_INTEGER

// Functions of one, two and three numbers, and the same of pairs. Float's 24 bits are twice a half's 11 and two more,
// so that rounding to float before is harmless to + - * / and the square root (Figueroa, "When is double rounding
// innocuous?", 1995); a fused multiply and add has its own way.
#define WARPTUNE_UNARY(__name, __pairs, __expression)        \
  inline WARPTUNE_NUMBER __name(const WARPTUNE_NUMBER __a) { \
    using namespace warptune_host;                           \
    return __expression;                                     \
  }                                                          \
  inline WARPTUNE_PAIR __pairs(const WARPTUNE_PAIR __a) {    \
    return {__name(__a.x), __name(__a.y)};                   \
  }
#define WARPTUNE_BINARY(__name, __pairs, __expression)                                  \
  inline WARPTUNE_NUMBER __name(const WARPTUNE_NUMBER __a, const WARPTUNE_NUMBER __b) { \
    using namespace warptune_host;                                                      \
    return __expression;                                                                \
  }                                                                                     \
  inline WARPTUNE_PAIR __pairs(const WARPTUNE_PAIR __a, const WARPTUNE_PAIR __b) {      \
    return {__name(__a.x, __b.x), __name(__a.y, __b.y)};                                \
  }
#define WARPTUNE_TERNARY(__name, __pairs, __expression)                                                            \
  inline WARPTUNE_NUMBER __name(const WARPTUNE_NUMBER __a, const WARPTUNE_NUMBER __b, const WARPTUNE_NUMBER __c) { \
    using namespace warptune_host;                                                                                 \
    return __expression;                                                                                           \
  }                                                                                                                \
  inline WARPTUNE_PAIR __pairs(const WARPTUNE_PAIR __a, const WARPTUNE_PAIR __b, const WARPTUNE_PAIR __c) {        \
    return {__name(__a.x, __b.x, __c.x), __name(__a.y, __b.y, __c.y)};                                             \
  }
inline bool __hisnan(const WARPTUNE_NUMBER __a) {
  return (warptune_host::__bits_of(__a) & 0x7fff) > WARPTUNE_FORMAT::__infinity;
}
inline int __hisinf(const WARPTUNE_NUMBER __a) {
  const unsigned __bits = warptune_host::__bits_of(__a);
  return (__bits & 0x7fff) != WARPTUNE_FORMAT::__infinity ? 0 : __bits == WARPTUNE_FORMAT::__infinity ? 1 : -1;
}
WARPTUNE_BINARY(__hadd, __hadd2, __like(__a, __float_of(__a) + __float_of(__b)))
WARPTUNE_BINARY(__hsub, __hsub2, __like(__a, __float_of(__a) - __float_of(__b)))
WARPTUNE_BINARY(__hmul, __hmul2, __like(__a, __float_of(__a) * __float_of(__b)))
WARPTUNE_BINARY(__hdiv, __h2div, __like(__a, __float_of(__a) / __float_of(__b)))
WARPTUNE_BINARY(__hadd_rn, __hadd2_rn, __hadd(__a, __b))
WARPTUNE_BINARY(__hsub_rn, __hsub2_rn, __hsub(__a, __b))
WARPTUNE_BINARY(__hmul_rn, __hmul2_rn, __hmul(__a, __b))
WARPTUNE_BINARY(__hadd_sat, __hadd2_sat, __clamped(__hadd(__a, __b)))
WARPTUNE_BINARY(__hsub_sat, __hsub2_sat, __clamped(__hsub(__a, __b)))
WARPTUNE_BINARY(__hmul_sat, __hmul2_sat, __clamped(__hmul(__a, __b)))
WARPTUNE_TERNARY(__hfma, __hfma2,
                 __with_bits(__a, __nearest_to_odd<WARPTUNE_FORMAT>(__odd_fma(__float_of(__a), __float_of(__b),
                                                                              __float_of(__c)))))
WARPTUNE_TERNARY(__hfma_sat, __hfma2_sat, __clamped(__hfma(__a, __b, __c)))
WARPTUNE_TERNARY(__hfma_relu, __hfma2_relu, __not_negative(__hfma(__a, __b, __c)))
WARPTUNE_UNARY(__hneg, __hneg2, __with_bits(__a, __hisnan(__a) ? 0x7fff : __bits_of(__a) ^ 0x8000))
WARPTUNE_UNARY(__habs, __habs2, __with_bits(__a, __hisnan(__a) ? 0x7fff : __bits_of(__a) & 0x7fff))
WARPTUNE_BINARY(__hmax_nan, __hmax2_nan,
                __hisnan(__a) || __hisnan(__b) ? __with_bits(__a, 0x7fff)
                : __is_below(__a, __b)         ? __b
                                               : __a)
WARPTUNE_BINARY(__hmin_nan, __hmin2_nan,
                __hisnan(__a) || __hisnan(__b) ? __with_bits(__a, 0x7fff)
                : __is_below(__b, __a)         ? __b
                                               : __a)
WARPTUNE_BINARY(__hmax, __hmax2, __hisnan(__a) == __hisnan(__b) ? __hmax_nan(__a, __b) : __hisnan(__a) ? __b : __a)
WARPTUNE_BINARY(__hmin, __hmin2, __hisnan(__a) == __hisnan(__b) ? __hmin_nan(__a, __b) : __hisnan(__a) ? __b : __a)

WARPTUNE_UNARY(hsqrt, h2sqrt, __like(__a, __builtin_sqrtf(__float_of(__a))))
WARPTUNE_UNARY(hrsqrt, h2rsqrt, __like(__a, rsqrt(static_cast<double>(__float_of(__a)))))
WARPTUNE_UNARY(hrcp, h2rcp, __like(__a, 1.0f / __float_of(__a)))
WARPTUNE_UNARY(hexp, h2exp, __like(__a, expf(__float_of(__a))))
WARPTUNE_UNARY(hexp2, h2exp2, __like(__a, exp2f(__float_of(__a))))
WARPTUNE_UNARY(hexp10, h2exp10, __like(__a, exp10(static_cast<double>(__float_of(__a)))))
WARPTUNE_UNARY(hlog, h2log, __like(__a, logf(__float_of(__a))))
WARPTUNE_UNARY(hlog2, h2log2, __like(__a, log2f(__float_of(__a))))
WARPTUNE_UNARY(hlog10, h2log10, __like(__a, log10f(__float_of(__a))))
WARPTUNE_UNARY(hsin, h2sin, __like(__a, sinf(__float_of(__a))))
WARPTUNE_UNARY(hcos, h2cos, __like(__a, cosf(__float_of(__a))))
WARPTUNE_UNARY(htanh, h2tanh, __like(__a, tanhf(__float_of(__a))))
WARPTUNE_UNARY(htanh_approx, h2tanh_approx, htanh(__a))
WARPTUNE_UNARY(hceil, h2ceil, __like(__a, __builtin_ceilf(__float_of(__a))))
WARPTUNE_UNARY(hfloor, h2floor, __like(__a, __builtin_floorf(__float_of(__a))))
WARPTUNE_UNARY(htrunc, h2trunc, __like(__a, __builtin_truncf(__float_of(__a))))
WARPTUNE_UNARY(hrint, h2rint, __like(__a, __builtin_rintf(__float_of(__a))))
#undef WARPTUNE_UNARY
#undef WARPTUNE_BINARY
#undef WARPTUNE_TERNARY

// Comparisons: false if a number is NaN; those with a u behind their names are true then.
#define WARPTUNE_COMPARISON(__name, __expression)                                           \
  inline bool __name(const WARPTUNE_NUMBER __a, const WARPTUNE_NUMBER __b) {                \
    const float x = warptune_host::__float_of(__a), y = warptune_host::__float_of(__b);     \
    return __expression;                                                                    \
  }                                                                                         \
  inline WARPTUNE_PAIR __name##2(const WARPTUNE_PAIR __a, const WARPTUNE_PAIR __b) {        \
    const unsigned __one = WARPTUNE_FORMAT::__one;                                          \
    return {warptune_host::__with_bits(__a.x, __name(__a.x, __b.x) ? __one : 0),            \
            warptune_host::__with_bits(__a.x, __name(__a.y, __b.y) ? __one : 0)};           \
  }                                                                                         \
  inline unsigned __name##2_mask(const WARPTUNE_PAIR __a, const WARPTUNE_PAIR __b) {        \
    return (__name(__a.x, __b.x) ? 0xffffu : 0) | (__name(__a.y, __b.y) ? 0xffff0000u : 0); \
  }
#define WARPTUNE_COMPARISONS(__what, __ordered, __unordered)                       \
  WARPTUNE_COMPARISON(__h##__what, __ordered)                                      \
  WARPTUNE_COMPARISON(__h##__what##u, __unordered)                                 \
  inline bool __hb##__what##2(const WARPTUNE_PAIR __a, const WARPTUNE_PAIR __b) {  \
    return __h##__what(__a.x, __b.x) && __h##__what(__a.y, __b.y);                 \
  }                                                                                \
  inline bool __hb##__what##u2(const WARPTUNE_PAIR __a, const WARPTUNE_PAIR __b) { \
    return __h##__what##u(__a.x, __b.x) && __h##__what##u(__a.y, __b.y);           \
  }
WARPTUNE_COMPARISONS(eq, x == y, !(x < y || x > y))
WARPTUNE_COMPARISONS(ne, x<y || x> y, x != y)
WARPTUNE_COMPARISONS(lt, x < y, !(x >= y))
WARPTUNE_COMPARISONS(le, x <= y, !(x > y))
WARPTUNE_COMPARISONS(gt, x > y, !(x <= y))
WARPTUNE_COMPARISONS(ge, x >= y, !(x < y))
#undef WARPTUNE_COMPARISONS
#undef WARPTUNE_COMPARISON
inline WARPTUNE_PAIR __hisnan2(const WARPTUNE_PAIR __a) {
  return {warptune_host::__with_bits(__a.x, __hisnan(__a.x) ? WARPTUNE_FORMAT::__one : 0),
          warptune_host::__with_bits(__a.x, __hisnan(__a.y) ? WARPTUNE_FORMAT::__one : 0)};
}

// a * b + c of complex numbers.
inline WARPTUNE_PAIR __hcmadd(const WARPTUNE_PAIR __a, const WARPTUNE_PAIR __b, const WARPTUNE_PAIR __c) {
  return {__hfma(__hneg(__a.y), __b.y, __hfma(__a.x, __b.x, __c.x)), __hfma(__a.y, __b.x, __hfma(__a.x, __b.y, __c.y))};
}
inline float __low2float(const WARPTUNE_PAIR __a) {
  return warptune_host::__float_of(__a.x);
}
inline float __high2float(const WARPTUNE_PAIR __a) {
  return warptune_host::__float_of(__a.y);
}
inline WARPTUNE_PAIR __lowhigh2highlow(const WARPTUNE_PAIR __a) {
  return {__a.y, __a.x};
}

// Of a pair, each number is added to atomically; here both are at once.
WARPTUNE_UNTRACKED inline WARPTUNE_NUMBER atomicAdd(WARPTUNE_NUMBER* __address, const WARPTUNE_NUMBER __value) {
  WARPTUNE_NOTE(__atomic_access, __address, sizeof __value);
  return warptune_host::__update<WARPTUNE_NUMBER, unsigned short>(
      __address, [__value](WARPTUNE_NUMBER __before) { return __hadd(__before, __value); });
}
WARPTUNE_UNTRACKED inline WARPTUNE_PAIR atomicAdd(WARPTUNE_PAIR* __address, const WARPTUNE_PAIR __value) {
  WARPTUNE_NOTE(__atomic_access, __address, sizeof __value);
  return warptune_host::__update<WARPTUNE_PAIR, unsigned>(
      __address, [__value](WARPTUNE_PAIR __before) { return __hadd2(__before, __value); });
}

#define WARPTUNE_OPERATIONS(__type, __add, __sub, __mul, __div, __neg, __one) \
  inline __type operator+(const __type& __a, const __type& __b) {             \
    return __add(__a, __b);                                                   \
  }                                                                           \
  inline __type operator-(const __type& __a, const __type& __b) {             \
    return __sub(__a, __b);                                                   \
  }                                                                           \
  inline __type operator*(const __type& __a, const __type& __b) {             \
    return __mul(__a, __b);                                                   \
  }                                                                           \
  inline __type operator/(const __type& __a, const __type& __b) {             \
    return __div(__a, __b);                                                   \
  }                                                                           \
  inline __type& operator+=(__type& __a, const __type& __b) {                 \
    return __a = __add(__a, __b);                                             \
  }                                                                           \
  inline __type& operator-=(__type& __a, const __type& __b) {                 \
    return __a = __sub(__a, __b);                                             \
  }                                                                           \
  inline __type& operator*=(__type& __a, const __type& __b) {                 \
    return __a = __mul(__a, __b);                                             \
  }                                                                           \
  inline __type& operator/=(__type& __a, const __type& __b) {                 \
    return __a = __div(__a, __b);                                             \
  }                                                                           \
  inline __type operator+(const __type& __a) {                                \
    return __a;                                                               \
  }                                                                           \
  inline __type operator-(const __type& __a) {                                \
    return __neg(__a);                                                        \
  }                                                                           \
  inline __type& operator++(__type& __a) {                                    \
    return __a = __add(__a, __one);                                           \
  }                                                                           \
  inline __type& operator--(__type& __a) {                                    \
    return __a = __sub(__a, __one);                                           \
  }                                                                           \
  inline __type operator++(__type& __a, int) {                                \
    const __type __before = __a;                                              \
    __a = __add(__a, __one);                                                  \
    return __before;                                                          \
  }                                                                           \
  inline __type operator--(__type& __a, int) {                                \
    const __type __before = __a;                                              \
    __a = __sub(__a, __one);                                                  \
    return __before;                                                          \
  }
#define WARPTUNE_RELATIONS(__type, eq, ne, lt, le, gt, ge)       \
  inline bool operator==(const __type& __a, const __type& __b) { \
    return eq(__a, __b);                                         \
  }                                                              \
  inline bool operator!=(const __type& __a, const __type& __b) { \
    return ne(__a, __b);                                         \
  }                                                              \
  inline bool operator<(const __type& __a, const __type& __b) {  \
    return lt(__a, __b);                                         \
  }                                                              \
  inline bool operator<=(const __type& __a, const __type& __b) { \
    return le(__a, __b);                                         \
  }                                                              \
  inline bool operator>(const __type& __a, const __type& __b) {  \
    return gt(__a, __b);                                         \
  }                                                              \
  inline bool operator>=(const __type& __a, const __type& __b) { \
    return ge(__a, __b);                                         \
  }
#define WARPTUNE_ONE WARPTUNE_NUMBER(WARPTUNE_RAW{WARPTUNE_FORMAT::__one})
#if WARPTUNE_OPERATORS
WARPTUNE_OPERATIONS(WARPTUNE_NUMBER, __hadd, __hsub, __hmul, __hdiv, __hneg, WARPTUNE_ONE)
WARPTUNE_RELATIONS(WARPTUNE_NUMBER, __heq, __hneu, __hlt, __hle, __hgt, __hge)
#endif
#if WARPTUNE_PAIR_OPERATORS
WARPTUNE_OPERATIONS(WARPTUNE_PAIR, __hadd2, __hsub2, __hmul2, __h2div, __hneg2,
                    WARPTUNE_PAIR(WARPTUNE_ONE, WARPTUNE_ONE))
WARPTUNE_RELATIONS(WARPTUNE_PAIR, __hbeq2, __hbneu2, __hblt2, __hble2, __hbgt2, __hbge2)
#endif
#undef WARPTUNE_OPERATIONS
#undef WARPTUNE_RELATIONS
#undef WARPTUNE_ONE
#undef WARPTUNE_NUMBER
#undef WARPTUNE_RAW
#undef WARPTUNE_PAIR
#undef WARPTUNE_PAIR_RAW
#undef WARPTUNE_FORMAT
#undef WARPTUNE_FROM
#undef WARPTUNE_TO
#undef WARPTUNE_CONVERSIONS
#undef WARPTUNE_OPERATORS
#undef WARPTUNE_PAIR_OPERATORS
