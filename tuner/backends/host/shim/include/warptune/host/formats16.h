// The bits of IEEE 754 binary16 (half) and of bfloat16: how numbers are rounded to them, and read.
#ifndef WARPTUNE_HOST_FORMATS16
#define WARPTUNE_HOST_FORMATS16

namespace warptune_host {

enum Rounding : unsigned { kNearest, kTowardZero, kDown, kUp };

// Rounded once. `fraction` bits stand behind the point, and `smallest` is the exponent of the smallest normal number.
template <int fraction, int smallest>
WARPTUNE_UNTRACKED inline unsigned short encode16(double value, Rounding rounding) {
  const Word bits = to_word(value), magnitude = bits & 0x7fffffffffffffffull;
  const unsigned sign = bits >> 48 & 0x8000, infinity = 0x7fff >> fraction << fraction;
  if (magnitude > 0x7ff0000000000000ull) return 0x7fff;
  if (magnitude == 0 || magnitude == 0x7ff0000000000000ull)
    return static_cast<unsigned short>(sign | (magnitude == 0 ? 0 : infinity));
  const int exponent = static_cast<int>(magnitude >> 52) - 1023;
  const bool normal = exponent >= smallest;
  // A number far below the format's smallest is not zero, and no more.
  const int wanted = 52 - fraction + (normal ? 0 : smallest - exponent), shift = wanted < 62 ? wanted : 62;
  const Word digits = (magnitude & 0xfffffffffffffull) | 0x10000000000000ull;
  const Word kept = digits >> shift, rest = digits & ((Word{1} << shift) - 1), half = Word{1} << (shift - 1);
  const bool up = rounding == kNearest ? rest > half || (rest == half && (kept & 1) != 0)
                                       : rest != 0 && rounding == (sign != 0 ? kDown : kUp);
  // The leading one of a normal number counts in the exponent's field, and so does a carry.
  const unsigned result = static_cast<unsigned>(kept) + up + (normal ? unsigned(exponent - smallest) << fraction : 0);
  if (result < infinity) return static_cast<unsigned short>(sign | result);
  const bool largest = rounding == kTowardZero || rounding == (sign != 0 ? kUp : kDown);
  return static_cast<unsigned short>(sign | (infinity - largest));
}

// An integer as a double that rounds to a 16-bit number as the integer itself would: what does not fit is kept as one
// odd bit (Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums", 2008).
inline double odd_double(unsigned long long magnitude) {
  if (magnitude >> 53 == 0) return static_cast<double>(magnitude);
  return static_cast<double>(magnitude >> 11 | ((magnitude & 0x7ff) != 0)) * 2048;
}
inline double odd_double(long long value) {
  const auto bits = static_cast<unsigned long long>(value);
  return value < 0 ? -odd_double(0 - bits) : odd_double(bits);
}

// x * y + z of 16-bit numbers, rounded to odd: the product is exact.
WARPTUNE_UNTRACKED inline double odd_fma(double x, double y, double z) {
  const double product = x * y, sum = product + z;
  if (!__builtin_isfinite(sum)) return sum;
  const double part = sum - product, error = (product - (sum - part)) + (z - part);
  const Word bits = to_word(sum);
  if (error == 0 || (bits & 1) != 0) return sum;
  return from_word<double>((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

// The rounding of what was rounded to odd: by way of a float where that has room for it, which is faster.
template <class Format>
WARPTUNE_UNTRACKED inline unsigned short nearest_to_odd(double value) {
  const Word bits = to_word(value), cut = 0x1fffffff;
  const unsigned exponent = bits >> 52 & 0x7ff;
  if (exponent < 1023 - 100 || exponent > 1023 + 100) return Format::from(value);
  return Format::from(static_cast<float>(from_word<double>((bits & ~cut) | ((bits & cut) != 0 ? cut + 1 : 0))));
}

struct Binary16 {
  static constexpr unsigned short infinity = 0x7c00, one = 0x3c00;
  static unsigned short from(double value, Rounding rounding = kNearest) { return encode16<10, -14>(value, rounding); }
#if defined(__F16C__)
  typedef float Floats __attribute__((vector_size(16)));
  typedef short Shorts __attribute__((vector_size(16)));
  WARPTUNE_UNTRACKED static unsigned short from(float value) {
    const Shorts bits = __builtin_ia32_vcvtps2ph(Floats{value, 0, 0, 0}, 0);
    const unsigned result = static_cast<unsigned short>(bits[0]);
    return static_cast<unsigned short>((result & 0x7fff) > infinity ? 0x7fff : result);
  }
  WARPTUNE_UNTRACKED static float to_float(unsigned short bits) {
    const Floats value = __builtin_ia32_vcvtph2ps(Shorts{static_cast<short>(bits), 0, 0, 0, 0, 0, 0, 0});
    return (bits & 0x7fffu) > infinity ? from_word<float>(0x7fffffff) : value[0];
  }
#else
  static unsigned short from(float value) {
    return from(static_cast<double>(value));
  }
  // Exponents are raised by a multiplication with 2^112, which makes subnormal numbers right as well.
  WARPTUNE_UNTRACKED static float to_float(unsigned short bits) {
    const unsigned magnitude = bits & 0x7fffu, sign = (bits & 0x8000u) << 16;
    if (magnitude > infinity) return from_word<float>(0x7fffffff);
    if (magnitude == infinity) return from_word<float>(sign | 0x7f800000);
    const float scaled = from_word<float>(magnitude << 13) * 5.192296858534828e+33f;
    return from_word<float>(sign | to_word(scaled));
  }
#endif
};

struct Bfloat16 {
  static constexpr unsigned short infinity = 0x7f80, one = 0x3f80;
  static unsigned short from(double value, Rounding rounding = kNearest) { return encode16<7, -126>(value, rounding); }
  WARPTUNE_UNTRACKED static unsigned short from(float value) {
    const unsigned bits = static_cast<unsigned>(to_word(value));
    if ((bits & 0x7fffffff) > 0x7f800000) return 0x7fff;
    return static_cast<unsigned short>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  }
  WARPTUNE_UNTRACKED static float to_float(unsigned short bits) {
    return from_word<float>(static_cast<Word>(bits) << 16);
  }
};

}  // namespace warptune_host

#endif
