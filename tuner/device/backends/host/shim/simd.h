// Two 16-bit or four 8-bit numbers in a word (CUDA Math API, "SIMD Intrinsics"), and sums of products of such numbers.

#if WARPTUNE_SELDOM_FUNCTIONS

namespace warptune_host {

// `compute(x, y, lowest, highest)` for each pair of lanes; what does not fit into a lane is cut off.
template <class Lane, class F>
inline unsigned per_lane(unsigned a, unsigned b, int lowest, int highest, F compute) {
  unsigned result = 0;
  for (unsigned at = 0; at < 32; at += 8 * sizeof(Lane)) {
    const int lane = compute(static_cast<int>(static_cast<Lane>(a >> at)), static_cast<int>(static_cast<Lane>(b >> at)),
                             lowest, highest);
    result |= (static_cast<unsigned>(lane) & (~0u >> (32 - 8 * sizeof(Lane)))) << at;
  }
  return result;
}
inline int clamped(int x, int lowest, int highest) {
  return x < lowest ? lowest : x > highest ? highest : x;
}

}  // namespace warptune_host

#define WARPTUNE_LANES(name, lane, lowest, highest, expression)                                              \
  inline unsigned name(unsigned a, unsigned b) {                                                             \
    return warptune_host::per_lane<lane>(a, b, lowest, highest, [](int x, int y, int low, int high) -> int { \
      return (void)low, (void)high, (void)y, expression;                                                     \
    });                                                                                                      \
  }
#define WARPTUNE_SIGNED(name, expression)                        \
  WARPTUNE_LANES(name##2, short, SHRT_MIN, SHRT_MAX, expression) \
  WARPTUNE_LANES(name##4, signed char, SCHAR_MIN, SCHAR_MAX, expression)
#define WARPTUNE_UNSIGNED(name, expression)                         \
  WARPTUNE_LANES(name##2, unsigned short, 0, USHRT_MAX, expression) \
  WARPTUNE_LANES(name##4, unsigned char, 0, UCHAR_MAX, expression)
#define WARPTUNE_COMPARED(name, operation)                   \
  WARPTUNE_SIGNED(__vcmp##name##s, x operation y ? -1 : 0)   \
  WARPTUNE_UNSIGNED(__vcmp##name##u, x operation y ? -1 : 0) \
  WARPTUNE_SIGNED(__vset##name##s, x operation y)            \
  WARPTUNE_UNSIGNED(__vset##name##u, x operation y)
WARPTUNE_UNSIGNED(__vadd, x + y)
WARPTUNE_UNSIGNED(__vsub, x - y)
WARPTUNE_SIGNED(__vaddss, warptune_host::clamped(x + y, low, high))
WARPTUNE_UNSIGNED(__vaddus, warptune_host::clamped(x + y, low, high))
WARPTUNE_SIGNED(__vsubss, warptune_host::clamped(x - y, low, high))
WARPTUNE_UNSIGNED(__vsubus, warptune_host::clamped(x - y, low, high))
WARPTUNE_SIGNED(__vavgs, (x + y + (x + y >= 0)) >> 1)
WARPTUNE_UNSIGNED(__vavgu, (x + y + 1) >> 1)
WARPTUNE_UNSIGNED(__vhaddu, (x + y) >> 1)
WARPTUNE_SIGNED(__vabsdiffs, x < y ? y - x : x - y)
WARPTUNE_UNSIGNED(__vabsdiffu, x < y ? y - x : x - y)
WARPTUNE_SIGNED(__vmaxs, x < y ? y : x)
WARPTUNE_UNSIGNED(__vmaxu, x < y ? y : x)
WARPTUNE_SIGNED(__vmins, x < y ? x : y)
WARPTUNE_UNSIGNED(__vminu, x < y ? x : y)
WARPTUNE_UNSIGNED(__vcmpeq, x == y ? -1 : 0)
WARPTUNE_UNSIGNED(__vcmpne, x != y ? -1 : 0)
WARPTUNE_UNSIGNED(__vseteq, x == y)
WARPTUNE_UNSIGNED(__vsetne, x != y)
WARPTUNE_COMPARED(lt, <)
WARPTUNE_COMPARED(le, <=)
WARPTUNE_COMPARED(gt, >)
WARPTUNE_COMPARED(ge, >=)
#undef WARPTUNE_LANES
#define WARPTUNE_LANES(name, lane, lowest, highest, expression)                                            \
  inline unsigned name(unsigned a) {                                                                       \
    return warptune_host::per_lane<lane>(a, 0, lowest, highest, [](int x, int, int low, int high) -> int { \
      return (void)low, (void)high, expression;                                                            \
    });                                                                                                    \
  }
WARPTUNE_SIGNED(__vneg, -x)
WARPTUNE_SIGNED(__vabs, x < 0 ? -x : x)
WARPTUNE_SIGNED(__vnegss, warptune_host::clamped(-x, low, high))
WARPTUNE_SIGNED(__vabsss, warptune_host::clamped(x < 0 ? -x : x, low, high))
#undef WARPTUNE_LANES
#undef WARPTUNE_SIGNED
#undef WARPTUNE_UNSIGNED
#undef WARPTUNE_COMPARED

// The sum of all lanes' absolute differences.
inline unsigned __vsads2(unsigned a, unsigned b) {
  const unsigned apart = __vabsdiffs2(a, b);
  return (apart & 0xffff) + (apart >> 16);
}
inline unsigned __vsadu2(unsigned a, unsigned b) {
  const unsigned apart = __vabsdiffu2(a, b);
  return (apart & 0xffff) + (apart >> 16);
}
inline unsigned __vsads4(unsigned a, unsigned b) {
  const unsigned apart = __vabsdiffs4(a, b);
  return (apart & 0xff) + (apart >> 8 & 0xff) + (apart >> 16 & 0xff) + (apart >> 24);
}
inline unsigned __vsadu4(unsigned a, unsigned b) {
  const unsigned apart = __vabsdiffu4(a, b);
  return (apart & 0xff) + (apart >> 8 & 0xff) + (apart >> 16 & 0xff) + (apart >> 24);
}

// c plus the products of lanes: four of 8 bits, or two of 16 bits with the lower or upper two of 8 bits.
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 32; i += 8) c += (a >> i & 0xff) * (b >> i & 0xff);
  return c;
}
inline int __dp4a(char4 a, char4 b, int c) {
  return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
inline unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) {
  return c + static_cast<unsigned>(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w);
}
inline int __dp2a_lo(short2 a, char4 b, int c) {
  return c + a.x * b.x + a.y * b.y;
}
inline int __dp2a_hi(short2 a, char4 b, int c) {
  return c + a.x * b.z + a.y * b.w;
}
inline unsigned __dp2a_lo(ushort2 a, uchar4 b, unsigned c) {
  return c + static_cast<unsigned>(a.x * b.x) + static_cast<unsigned>(a.y * b.y);
}
inline unsigned __dp2a_hi(ushort2 a, uchar4 b, unsigned c) {
  return c + static_cast<unsigned>(a.x * b.z) + static_cast<unsigned>(a.y * b.w);
}
#define WARPTUNE_WORDS(name, type, shorts, chars)                      \
  inline type name(type a, type b, type c) {                           \
    shorts first;                                                      \
    chars second;                                                      \
    __builtin_memcpy(&first, &a, 4), __builtin_memcpy(&second, &b, 4); \
    return name(first, second, c);                                     \
  }
WARPTUNE_WORDS(__dp2a_lo, int, short2, char4)
WARPTUNE_WORDS(__dp2a_hi, int, short2, char4)
WARPTUNE_WORDS(__dp2a_lo, unsigned, ushort2, uchar4)
WARPTUNE_WORDS(__dp2a_hi, unsigned, ushort2, uchar4)
#undef WARPTUNE_WORDS

#endif
