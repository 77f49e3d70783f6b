// CUDA's vector types with CUDA's alignment, and their make_ functions.

#define WARPTUNE_VECTORS(name, type, align2, align4)                 \
  struct name##1 {                                                   \
    type x;                                                          \
  };                                                                 \
  struct __attribute__((aligned(align2))) name##2 {                  \
    type x, y;                                                       \
  };                                                                 \
  WARPTUNE_VECTOR3(name, type)                                       \
  struct __attribute__((aligned(align4))) name##4 {                  \
    type x, y, z, w;                                                 \
  };                                                                 \
  constexpr name##1 make_##name##1(type x) {                         \
    return name##1 {x};                                              \
  }                                                                  \
  constexpr name##2 make_##name##2(type x, type y) {                 \
    return name##2 {x, y};                                           \
  }                                                                  \
  constexpr name##3 make_##name##3(type x, type y, type z) {         \
    return name##3 {x, y, z};                                        \
  }                                                                  \
  constexpr name##4 make_##name##4(type x, type y, type z, type w) { \
    return name##4 {x, y, z, w};                                     \
  }

#define WARPTUNE_VECTOR3(name, type) \
  struct name##3 {                   \
    type x, y, z;                    \
  };
WARPTUNE_VECTORS(char, signed char, 2, 4)
WARPTUNE_VECTORS(uchar, unsigned char, 2, 4)
WARPTUNE_VECTORS(short, short, 4, 8)
WARPTUNE_VECTORS(ushort, unsigned short, 4, 8)
WARPTUNE_VECTORS(int, int, 8, 16)
WARPTUNE_VECTORS(long, long, 16, 16)
WARPTUNE_VECTORS(ulong, unsigned long, 16, 16)
WARPTUNE_VECTORS(longlong, long long, 16, 16)
WARPTUNE_VECTORS(ulonglong, unsigned long long, 16, 16)
WARPTUNE_VECTORS(float, float, 8, 16)
WARPTUNE_VECTORS(double, double, 16, 16)

// uint3 is the type of threadIdx and exists already.
#undef WARPTUNE_VECTOR3
#define WARPTUNE_VECTOR3(name, type)
WARPTUNE_VECTORS(uint, unsigned int, 8, 16)

#undef WARPTUNE_VECTOR3
#undef WARPTUNE_VECTORS
