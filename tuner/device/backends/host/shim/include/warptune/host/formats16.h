// The bits of IEEE 754 binary16 (half) and of bfloat16: how numbers are rounded to them, and read.
#ifndef WARPTUNE_HOST_FORMATS16
#define WARPTUNE_HOST_FORMATS16

namespace warptune_host {

enum __Rounding : unsigned { __kNearest, __kTowardZero, __kDown, __kUp };

// Rounded once. `fraction` bits stand behind the point, and `smallest` is the exponent of the smallest normal number.
template <int __fraction, int __smallest>
WARPTUNE_UNTRACKED inline unsigned short __encode16(double __value, __Rounding __rounding) {
  const __word __bits = __to_word(__value), __magnitude = __bits & 0x7fffffffffffffffull;
  const unsigned __sign = __bits >> 48 & 0x8000, __infinity = 0x7fff >> __fraction << __fraction;
  if (__magnitude > 0x7ff0000000000000ull) return 0x7fff;
  if (__magnitude == 0 || __magnitude == 0x7ff0000000000000ull)
    return static_cast<unsigned short>(__sign | (__magnitude == 0 ? 0 : __infinity));
  const int __exponent = static_cast<int>(__magnitude >> 52) - 1023;
  const bool __normal = __exponent >= __smallest;
  // A number far below the format's smallest is not zero, and no more.
  const int __wanted = 52 - __fraction + (__normal ? 0 : __smallest - __exponent),
            __shift = __wanted < 62 ? __wanted : 62;
  const __word __digits = (__magnitude & 0xfffffffffffffull) | 0x10000000000000ull;
  const __word __kept = __digits >> __shift, __rest = __digits & ((__word{1} << __shift) - 1),
               __middle = __word{1} << (__shift - 1);
  const bool __up = __rounding == __kNearest ? __rest > __middle || (__rest == __middle && (__kept & 1) != 0)
                                             : __rest != 0 && __rounding == (__sign != 0 ? __kDown : __kUp);
  // The leading one of a normal number counts in the exponent's field, and so does a carry.
  const unsigned __result =
      static_cast<unsigned>(__kept) + __up + (__normal ? unsigned(__exponent - __smallest) << __fraction : 0);
  if (__result < __infinity) return static_cast<unsigned short>(__sign | __result);
  const bool __largest = __rounding == __kTowardZero || __rounding == (__sign != 0 ? __kUp : __kDown);
  return static_cast<unsigned short>(__sign | (__infinity - __largest));
}

// An integer as a double that rounds to a 16-bit number as the integer itself would: what does not fit is kept as one
// odd bit (Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums", 2008).
inline double __odd_double(unsigned long long __magnitude) {
  if (__magnitude >> 53 == 0) return static_cast<double>(__magnitude);
  return static_cast<double>(__magnitude >> 11 | ((__magnitude & 0x7ff) != 0)) * 2048;
}
inline double __odd_double(long long __value) {
  const auto __bits = static_cast<unsigned long long>(__value);
  return __value < 0 ? -__odd_double(0 - __bits) : __odd_double(__bits);
}

// x * y + z of 16-bit numbers, rounded to odd: the product is exact.
WARPTUNE_UNTRACKED inline double __odd_fma(double x, double y, double z) {
  const double __product = x * y, __sum = __product + z;
  if (!__builtin_isfinite(__sum)) return __sum;
  const double __part = __sum - __product, error = (__product - (__sum - __part)) + (z - __part);
  const __word __bits = __to_word(__sum);
  if (error == 0 || (__bits & 1) != 0) return __sum;
  return __from_word<double>((error > 0) == (__sum > 0) ? __bits + 1 : __bits - 1);
}

// The rounding of what was rounded to odd: by way of a float where that has room for it, which is faster.
template <class __Format>
WARPTUNE_UNTRACKED inline unsigned short __nearest_to_odd(double __value) {
  const __word __bits = __to_word(__value), __cut = 0x1fffffff;
  const unsigned __exponent = __bits >> 52 & 0x7ff;
  if (__exponent < 1023 - 100 || __exponent > 1023 + 100) return __Format::__from(__value);
  return __Format::__from(
      static_cast<float>(__from_word<double>((__bits & ~__cut) | ((__bits & __cut) != 0 ? __cut + 1 : 0))));
}

struct __Binary16 {
  static constexpr unsigned short __infinity = 0x7c00, __one = 0x3c00;
  static unsigned short __from(double __value, __Rounding __rounding = __kNearest) {
    return __encode16<10, -14>(__value, __rounding);
  }
#if defined(__F16C__)
  typedef float __Floats __attribute__((__vector_size__(16)));
  typedef short __Shorts __attribute__((__vector_size__(16)));
  WARPTUNE_UNTRACKED static unsigned short __from(float __value) {
    const __Shorts __bits = __builtin_ia32_vcvtps2ph(__Floats{__value, 0, 0, 0}, 0);
    const unsigned __result = static_cast<unsigned short>(__bits[0]);
    return static_cast<unsigned short>((__result & 0x7fff) > __infinity ? 0x7fff : __result);
  }
  WARPTUNE_UNTRACKED static float __to_float(unsigned short __bits) {
    const __Floats __value = __builtin_ia32_vcvtph2ps(__Shorts{static_cast<short>(__bits), 0, 0, 0, 0, 0, 0, 0});
    return (__bits & 0x7fffu) > __infinity ? __from_word<float>(0x7fffffff) : __value[0];
  }
#else
  static unsigned short __from(float __value) {
    return __from(static_cast<double>(__value));
  }
  // Exponents are raised by a multiplication with 2^112, which makes subnormal numbers right as well.
  WARPTUNE_UNTRACKED static float __to_float(unsigned short __bits) {
    const unsigned __magnitude = __bits & 0x7fffu, __sign = (__bits & 0x8000u) << 16;
    if (__magnitude > __infinity) return __from_word<float>(0x7fffffff);
    if (__magnitude == __infinity) return __from_word<float>(__sign | 0x7f800000);
    const float __scaled = __from_word<float>(__magnitude << 13) * 5.192296858534828e+33f;
    return __from_word<float>(__sign | __to_word(__scaled));
  }
#endif
};

struct __Bfloat16 {
  static constexpr unsigned short __infinity = 0x7f80, __one = 0x3f80;
  static unsigned short __from(double __value, __Rounding __rounding = __kNearest) {
    return __encode16<7, -126>(__value, __rounding);
  }
  WARPTUNE_UNTRACKED static unsigned short __from(float __value) {
    const unsigned __bits = static_cast<unsigned>(__to_word(__value));
    if ((__bits & 0x7fffffff) > 0x7f800000) return 0x7fff;
    return static_cast<unsigned short>((__bits + 0x7fff + (__bits >> 16 & 1)) >> 16);
  }
  WARPTUNE_UNTRACKED static float __to_float(unsigned short __bits) {
    return __from_word<float>(static_cast<__word>(__bits) << 16);
  }
};

}  // namespace warptune_host

#endif
