// A 16-bit number, a pair of them, and all functions that CUDA gives both formats under the same name. Included once
// for each format, with these macros: NUMBER, PAIR and their _RAW forms, FORMAT (formats16.h), FROM(x) and TO(x,
// rounding), the names of the conversions from and to an integer type, OPERATORS, PAIR_OPERATORS and CONVERSIONS (0 or
// 1: what kernels can switch off), all with WARPTUNE_ before them.

struct __attribute__((aligned(2))) WARPTUNE_RAW {
  unsigned short x;
};
struct __attribute__((aligned(4))) WARPTUNE_PAIR_RAW {
  unsigned short x, y;
};

struct __attribute__((aligned(2))) WARPTUNE_NUMBER {
  WARPTUNE_NUMBER() = default;
#if WARPTUNE_TRACKED  // GCC does not tell of what a call takes or returns as a whole
  constexpr WARPTUNE_NUMBER(const WARPTUNE_NUMBER& other) : __x(other.__x) {}
  WARPTUNE_NUMBER& operator=(const WARPTUNE_NUMBER& other) {
    __x = other.__x;
    return *this;
  }
#endif
  constexpr WARPTUNE_NUMBER(const WARPTUNE_RAW& raw) : __x(raw.x) {}
  operator WARPTUNE_RAW() const {
    return {__x};
  }
#if WARPTUNE_CONVERSIONS
  WARPTUNE_NUMBER(float value) : __x(WARPTUNE_FORMAT::from(value)) {}
  WARPTUNE_NUMBER(double value) : __x(WARPTUNE_FORMAT::from(value)) {}
  operator float() const {
    return WARPTUNE_FORMAT::to_float(__x);
  }
  constexpr operator bool() const {
    return (__x & 0x7fff) != 0;
  }
#define WARPTUNE_INTEGER(type, wide, low, high)                                                                    \
  WARPTUNE_NUMBER(type value) : __x(WARPTUNE_FORMAT::from(warptune_host::odd_double(static_cast<wide>(value)))) {} \
  operator type() const {                                                                                          \
    return warptune_host::saturated<type>(__builtin_truncf(WARPTUNE_FORMAT::to_float(__x)), low, high);            \
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
#define WARPTUNE_INTEGER(type, low, high)                                                               \
  operator type() const {                                                                               \
    return warptune_host::saturated<type>(__builtin_truncf(WARPTUNE_FORMAT::to_float(__x)), low, high); \
  }
  WARPTUNE_INTEGER(char, CHAR_MIN, CHAR_MAX)
  WARPTUNE_INTEGER(signed char, SCHAR_MIN, SCHAR_MAX)
  WARPTUNE_INTEGER(unsigned char, 0, UCHAR_MAX)
#undef WARPTUNE_INTEGER
#endif

 protected:
  unsigned short __x;
};

struct __attribute__((aligned(4))) WARPTUNE_PAIR {
  WARPTUNE_PAIR() = default;
#if WARPTUNE_TRACKED
  WARPTUNE_PAIR(const WARPTUNE_PAIR& other) {
    *this = other;
  }
  WARPTUNE_PAIR& operator=(const WARPTUNE_PAIR& other) {
    *reinterpret_cast<unsigned*>(this) = *reinterpret_cast<const unsigned*>(&other);
    return *this;
  }
#endif
  constexpr WARPTUNE_PAIR(const WARPTUNE_NUMBER& low, const WARPTUNE_NUMBER& high) : x(low), y(high) {}
  WARPTUNE_PAIR(const WARPTUNE_PAIR_RAW& raw) : x(WARPTUNE_RAW{raw.x}), y(WARPTUNE_RAW{raw.y}) {}
  operator WARPTUNE_PAIR_RAW() const {
    return {WARPTUNE_RAW(x).x, WARPTUNE_RAW(y).x};
  }
  WARPTUNE_NUMBER x, y;
};

namespace warptune_host {

// Overloads for the format, by which the functions below speak of it.
inline unsigned short bits_of(const WARPTUNE_NUMBER& value) {
  return WARPTUNE_RAW(value).x;
}
inline float float_of(const WARPTUNE_NUMBER& value) {
  return WARPTUNE_FORMAT::to_float(bits_of(value));
}
inline WARPTUNE_NUMBER like(const WARPTUNE_NUMBER&, float value) {
  return WARPTUNE_RAW{WARPTUNE_FORMAT::from(value)};
}
inline WARPTUNE_NUMBER like(const WARPTUNE_NUMBER&, double value) {
  return WARPTUNE_RAW{WARPTUNE_FORMAT::from(value)};
}
inline WARPTUNE_NUMBER with_bits(const WARPTUNE_NUMBER&, unsigned bits) {
  return WARPTUNE_RAW{static_cast<unsigned short>(bits)};
}
inline WARPTUNE_NUMBER clamped(const WARPTUNE_NUMBER& value) {
  return with_bits(value, float_of(value) > 0 ? (float_of(value) < 1 ? bits_of(value) : WARPTUNE_FORMAT::one) : 0);
}
inline WARPTUNE_NUMBER not_negative(const WARPTUNE_NUMBER& value) {
  return float_of(value) <= 0 ? with_bits(value, 0) : value;
}
// The order of the bits, with -0 before +0.
inline bool is_below(const WARPTUNE_NUMBER& a, const WARPTUNE_NUMBER& b) {
  return float_of(a) < float_of(b) || (float_of(a) == float_of(b) && bits_of(a) > bits_of(b) && bits_of(b) == 0);
}

}  // namespace warptune_host

// Conversions from and to integers, in all four roundings.
#define WARPTUNE_FROM_INTEGER(name, type, wide)                                                                  \
  inline WARPTUNE_NUMBER WARPTUNE_FROM(name, rn)(type value) {                                                   \
    return WARPTUNE_RAW{WARPTUNE_FORMAT::from(warptune_host::odd_double(static_cast<wide>(value)))};             \
  }                                                                                                              \
  inline WARPTUNE_NUMBER WARPTUNE_FROM(name, rz)(type value) {                                                   \
    return WARPTUNE_RAW{                                                                                         \
        WARPTUNE_FORMAT::from(warptune_host::odd_double(static_cast<wide>(value)), warptune_host::kTowardZero)}; \
  }                                                                                                              \
  inline WARPTUNE_NUMBER WARPTUNE_FROM(name, rd)(type value) {                                                   \
    return WARPTUNE_RAW{                                                                                         \
        WARPTUNE_FORMAT::from(warptune_host::odd_double(static_cast<wide>(value)), warptune_host::kDown)};       \
  }                                                                                                              \
  inline WARPTUNE_NUMBER WARPTUNE_FROM(name, ru)(type value) {                                                   \
    return WARPTUNE_RAW{                                                                                         \
        WARPTUNE_FORMAT::from(warptune_host::odd_double(static_cast<wide>(value)), warptune_host::kUp)};         \
  }
#define WARPTUNE_ROUNDED_TO(name, type, low, high, rounding, function)                          \
  inline type WARPTUNE_TO(name, rounding)(const WARPTUNE_NUMBER value) {                        \
    return warptune_host::saturated<type>(function(warptune_host::float_of(value)), low, high); \
  }
#define WARPTUNE_TO_INTEGER(name, type, low, high)                 \
  WARPTUNE_ROUNDED_TO(name, type, low, high, rn, __builtin_rintf)  \
  WARPTUNE_ROUNDED_TO(name, type, low, high, rz, __builtin_truncf) \
  WARPTUNE_ROUNDED_TO(name, type, low, high, rd, __builtin_floorf) \
  WARPTUNE_ROUNDED_TO(name, type, low, high, ru, __builtin_ceilf)
WARPTUNE_FROM_INTEGER(short, short, long long)
WARPTUNE_FROM_INTEGER(ushort, unsigned short, long long)
WARPTUNE_FROM_INTEGER(int, int, long long)
WARPTUNE_FROM_INTEGER(uint, unsigned, long long)
WARPTUNE_FROM_INTEGER(ll, long long, long long)
WARPTUNE_FROM_INTEGER(ull, unsigned long long, unsigned long long)
WARPTUNE_TO_INTEGER(short, short, SHRT_MIN, SHRT_MAX)
WARPTUNE_TO_INTEGER(ushort, unsigned short, 0, USHRT_MAX)
WARPTUNE_TO_INTEGER(int, int, INT_MIN, INT_MAX)
WARPTUNE_TO_INTEGER(uint, unsigned, 0, UINT_MAX)
WARPTUNE_TO_INTEGER(ll, long long, LLONG_MIN, LLONG_MAX)
WARPTUNE_TO_INTEGER(ull, unsigned long long, 0, ULLONG_MAX)
WARPTUNE_ROUNDED_TO(char, signed char, SCHAR_MIN, SCHAR_MAX, rz, __builtin_truncf)
WARPTUNE_ROUNDED_TO(uchar, unsigned char, 0, UCHAR_MAX, rz, __builtin_truncf)
#undef WARPTUNE_FROM_INTEGER
#undef WARPTUNE_ROUNDED_TO
#undef WARPTUNE_TO_INTEGER

// Functions of one, two and three numbers, and the same of pairs. Float's 24 bits are twice a half's 11 and two more,
// so that rounding to float before is harmless to + - * / and the square root (Figueroa, "When is double rounding
// innocuous?", 1995); a fused multiply and add has its own way.
#define WARPTUNE_UNARY(name, pairs, expression)          \
  inline WARPTUNE_NUMBER name(const WARPTUNE_NUMBER a) { \
    using namespace warptune_host;                       \
    return expression;                                   \
  }                                                      \
  inline WARPTUNE_PAIR pairs(const WARPTUNE_PAIR a) {    \
    return {name(a.x), name(a.y)};                       \
  }
#define WARPTUNE_BINARY(name, pairs, expression)                                  \
  inline WARPTUNE_NUMBER name(const WARPTUNE_NUMBER a, const WARPTUNE_NUMBER b) { \
    using namespace warptune_host;                                                \
    return expression;                                                            \
  }                                                                               \
  inline WARPTUNE_PAIR pairs(const WARPTUNE_PAIR a, const WARPTUNE_PAIR b) {      \
    return {name(a.x, b.x), name(a.y, b.y)};                                      \
  }
#define WARPTUNE_TERNARY(name, pairs, expression)                                                          \
  inline WARPTUNE_NUMBER name(const WARPTUNE_NUMBER a, const WARPTUNE_NUMBER b, const WARPTUNE_NUMBER c) { \
    using namespace warptune_host;                                                                         \
    return expression;                                                                                     \
  }                                                                                                        \
  inline WARPTUNE_PAIR pairs(const WARPTUNE_PAIR a, const WARPTUNE_PAIR b, const WARPTUNE_PAIR c) {        \
    return {name(a.x, b.x, c.x), name(a.y, b.y, c.y)};                                                     \
  }
inline bool __hisnan(const WARPTUNE_NUMBER a) {
  return (warptune_host::bits_of(a) & 0x7fff) > WARPTUNE_FORMAT::infinity;
}
inline int __hisinf(const WARPTUNE_NUMBER a) {
  const unsigned bits = warptune_host::bits_of(a);
  return (bits & 0x7fff) != WARPTUNE_FORMAT::infinity ? 0 : bits == WARPTUNE_FORMAT::infinity ? 1 : -1;
}
WARPTUNE_BINARY(__hadd, __hadd2, like(a, float_of(a) + float_of(b)))
WARPTUNE_BINARY(__hsub, __hsub2, like(a, float_of(a) - float_of(b)))
WARPTUNE_BINARY(__hmul, __hmul2, like(a, float_of(a) * float_of(b)))
WARPTUNE_BINARY(__hdiv, __h2div, like(a, float_of(a) / float_of(b)))
WARPTUNE_BINARY(__hadd_rn, __hadd2_rn, __hadd(a, b))
WARPTUNE_BINARY(__hsub_rn, __hsub2_rn, __hsub(a, b))
WARPTUNE_BINARY(__hmul_rn, __hmul2_rn, __hmul(a, b))
WARPTUNE_BINARY(__hadd_sat, __hadd2_sat, clamped(__hadd(a, b)))
WARPTUNE_BINARY(__hsub_sat, __hsub2_sat, clamped(__hsub(a, b)))
WARPTUNE_BINARY(__hmul_sat, __hmul2_sat, clamped(__hmul(a, b)))
WARPTUNE_TERNARY(__hfma, __hfma2,
                 with_bits(a, nearest_to_odd<WARPTUNE_FORMAT>(odd_fma(float_of(a), float_of(b), float_of(c)))))
WARPTUNE_TERNARY(__hfma_sat, __hfma2_sat, clamped(__hfma(a, b, c)))
WARPTUNE_TERNARY(__hfma_relu, __hfma2_relu, not_negative(__hfma(a, b, c)))
WARPTUNE_UNARY(__hneg, __hneg2, with_bits(a, __hisnan(a) ? 0x7fff : bits_of(a) ^ 0x8000))
WARPTUNE_UNARY(__habs, __habs2, with_bits(a, __hisnan(a) ? 0x7fff : bits_of(a) & 0x7fff))
WARPTUNE_BINARY(__hmax_nan, __hmax2_nan, __hisnan(a) || __hisnan(b) ? with_bits(a, 0x7fff) : is_below(a, b) ? b : a)
WARPTUNE_BINARY(__hmin_nan, __hmin2_nan, __hisnan(a) || __hisnan(b) ? with_bits(a, 0x7fff) : is_below(b, a) ? b : a)
WARPTUNE_BINARY(__hmax, __hmax2, __hisnan(a) == __hisnan(b) ? __hmax_nan(a, b) : __hisnan(a) ? b : a)
WARPTUNE_BINARY(__hmin, __hmin2, __hisnan(a) == __hisnan(b) ? __hmin_nan(a, b) : __hisnan(a) ? b : a)

WARPTUNE_UNARY(hsqrt, h2sqrt, like(a, __builtin_sqrtf(float_of(a))))
WARPTUNE_UNARY(hrsqrt, h2rsqrt, like(a, rsqrt(static_cast<double>(float_of(a)))))
WARPTUNE_UNARY(hrcp, h2rcp, like(a, 1.0f / float_of(a)))
WARPTUNE_UNARY(hexp, h2exp, like(a, expf(float_of(a))))
WARPTUNE_UNARY(hexp2, h2exp2, like(a, exp2f(float_of(a))))
WARPTUNE_UNARY(hexp10, h2exp10, like(a, exp10(static_cast<double>(float_of(a)))))
WARPTUNE_UNARY(hlog, h2log, like(a, logf(float_of(a))))
WARPTUNE_UNARY(hlog2, h2log2, like(a, log2f(float_of(a))))
WARPTUNE_UNARY(hlog10, h2log10, like(a, log10f(float_of(a))))
WARPTUNE_UNARY(hsin, h2sin, like(a, sinf(float_of(a))))
WARPTUNE_UNARY(hcos, h2cos, like(a, cosf(float_of(a))))
WARPTUNE_UNARY(htanh, h2tanh, like(a, tanhf(float_of(a))))
WARPTUNE_UNARY(htanh_approx, h2tanh_approx, htanh(a))
WARPTUNE_UNARY(hceil, h2ceil, like(a, __builtin_ceilf(float_of(a))))
WARPTUNE_UNARY(hfloor, h2floor, like(a, __builtin_floorf(float_of(a))))
WARPTUNE_UNARY(htrunc, h2trunc, like(a, __builtin_truncf(float_of(a))))
WARPTUNE_UNARY(hrint, h2rint, like(a, __builtin_rintf(float_of(a))))
#undef WARPTUNE_UNARY
#undef WARPTUNE_BINARY
#undef WARPTUNE_TERNARY

// Comparisons: false if a number is NaN; those with a u behind their names are true then.
#define WARPTUNE_COMPARISON(name, expression)                                   \
  inline bool name(const WARPTUNE_NUMBER a, const WARPTUNE_NUMBER b) {          \
    const float x = warptune_host::float_of(a), y = warptune_host::float_of(b); \
    return expression;                                                          \
  }                                                                             \
  inline WARPTUNE_PAIR name##2(const WARPTUNE_PAIR a, const WARPTUNE_PAIR b) {  \
    const unsigned one = WARPTUNE_FORMAT::one;                                  \
    return {warptune_host::with_bits(a.x, name(a.x, b.x) ? one : 0),            \
            warptune_host::with_bits(a.x, name(a.y, b.y) ? one : 0)};           \
  }                                                                             \
  inline unsigned name##2_mask(const WARPTUNE_PAIR a, const WARPTUNE_PAIR b) {  \
    return (name(a.x, b.x) ? 0xffffu : 0) | (name(a.y, b.y) ? 0xffff0000u : 0); \
  }
#define WARPTUNE_COMPARISONS(what, ordered, unordered)                       \
  WARPTUNE_COMPARISON(__h##what, ordered)                                    \
  WARPTUNE_COMPARISON(__h##what##u, unordered)                               \
  inline bool __hb##what##2(const WARPTUNE_PAIR a, const WARPTUNE_PAIR b) {  \
    return __h##what(a.x, b.x) && __h##what(a.y, b.y);                       \
  }                                                                          \
  inline bool __hb##what##u2(const WARPTUNE_PAIR a, const WARPTUNE_PAIR b) { \
    return __h##what##u(a.x, b.x) && __h##what##u(a.y, b.y);                 \
  }
WARPTUNE_COMPARISONS(eq, x == y, !(x < y || x > y))
WARPTUNE_COMPARISONS(ne, x<y || x> y, x != y)
WARPTUNE_COMPARISONS(lt, x < y, !(x >= y))
WARPTUNE_COMPARISONS(le, x <= y, !(x > y))
WARPTUNE_COMPARISONS(gt, x > y, !(x <= y))
WARPTUNE_COMPARISONS(ge, x >= y, !(x < y))
#undef WARPTUNE_COMPARISONS
#undef WARPTUNE_COMPARISON
inline WARPTUNE_PAIR __hisnan2(const WARPTUNE_PAIR a) {
  return {warptune_host::with_bits(a.x, __hisnan(a.x) ? WARPTUNE_FORMAT::one : 0),
          warptune_host::with_bits(a.x, __hisnan(a.y) ? WARPTUNE_FORMAT::one : 0)};
}

// a * b + c of complex numbers.
inline WARPTUNE_PAIR __hcmadd(const WARPTUNE_PAIR a, const WARPTUNE_PAIR b, const WARPTUNE_PAIR c) {
  return {__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y))};
}
inline float __low2float(const WARPTUNE_PAIR a) {
  return warptune_host::float_of(a.x);
}
inline float __high2float(const WARPTUNE_PAIR a) {
  return warptune_host::float_of(a.y);
}
inline WARPTUNE_PAIR __lowhigh2highlow(const WARPTUNE_PAIR a) {
  return {a.y, a.x};
}

// Of a pair, each number is added to atomically; here both are at once.
WARPTUNE_UNTRACKED inline WARPTUNE_NUMBER atomicAdd(WARPTUNE_NUMBER* address, const WARPTUNE_NUMBER value) {
  WARPTUNE_NOTE(kAtomic, address, sizeof value);
  return warptune_host::update<WARPTUNE_NUMBER, unsigned short>(
      address, [value](WARPTUNE_NUMBER before) { return __hadd(before, value); });
}
WARPTUNE_UNTRACKED inline WARPTUNE_PAIR atomicAdd(WARPTUNE_PAIR* address, const WARPTUNE_PAIR value) {
  WARPTUNE_NOTE(kAtomic, address, sizeof value);
  return warptune_host::update<WARPTUNE_PAIR, unsigned>(
      address, [value](WARPTUNE_PAIR before) { return __hadd2(before, value); });
}

#define WARPTUNE_OPERATIONS(type, add, sub, mul, div, neg, one) \
  inline type operator+(const type& a, const type& b) {         \
    return add(a, b);                                           \
  }                                                             \
  inline type operator-(const type& a, const type& b) {         \
    return sub(a, b);                                           \
  }                                                             \
  inline type operator*(const type& a, const type& b) {         \
    return mul(a, b);                                           \
  }                                                             \
  inline type operator/(const type& a, const type& b) {         \
    return div(a, b);                                           \
  }                                                             \
  inline type& operator+=(type& a, const type& b) {             \
    return a = add(a, b);                                       \
  }                                                             \
  inline type& operator-=(type& a, const type& b) {             \
    return a = sub(a, b);                                       \
  }                                                             \
  inline type& operator*=(type& a, const type& b) {             \
    return a = mul(a, b);                                       \
  }                                                             \
  inline type& operator/=(type& a, const type& b) {             \
    return a = div(a, b);                                       \
  }                                                             \
  inline type operator+(const type& a) {                        \
    return a;                                                   \
  }                                                             \
  inline type operator-(const type& a) {                        \
    return neg(a);                                              \
  }                                                             \
  inline type& operator++(type& a) {                            \
    return a = add(a, one);                                     \
  }                                                             \
  inline type& operator--(type& a) {                            \
    return a = sub(a, one);                                     \
  }                                                             \
  inline type operator++(type& a, int) {                        \
    const type before = a;                                      \
    a = add(a, one);                                            \
    return before;                                              \
  }                                                             \
  inline type operator--(type& a, int) {                        \
    const type before = a;                                      \
    a = sub(a, one);                                            \
    return before;                                              \
  }
#define WARPTUNE_RELATIONS(type, eq, ne, lt, le, gt, ge) \
  inline bool operator==(const type& a, const type& b) { \
    return eq(a, b);                                     \
  }                                                      \
  inline bool operator!=(const type& a, const type& b) { \
    return ne(a, b);                                     \
  }                                                      \
  inline bool operator<(const type& a, const type& b) {  \
    return lt(a, b);                                     \
  }                                                      \
  inline bool operator<=(const type& a, const type& b) { \
    return le(a, b);                                     \
  }                                                      \
  inline bool operator>(const type& a, const type& b) {  \
    return gt(a, b);                                     \
  }                                                      \
  inline bool operator>=(const type& a, const type& b) { \
    return ge(a, b);                                     \
  }
#define WARPTUNE_ONE WARPTUNE_NUMBER(WARPTUNE_RAW{WARPTUNE_FORMAT::one})
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
