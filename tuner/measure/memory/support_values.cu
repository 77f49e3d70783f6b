// The first of three texts that are compiled as one, in this order: support_values.cu, support_memory.cu,
// support_comparison.cu. They hold the kernels that every measurement needs, and go through the same compiler and device
// as the kernel under test, so that big buffers never leave the device. This one: element types, random numbers, fills.

typedef unsigned long long u64;

// Half and bfloat16 arrive as their bits; distinct types pick the right conversion.
struct half_bits { unsigned short bits; };
struct bfloat16_bits { unsigned short bits; };

// The finaliser of splitmix64 (Steele et al. 2014): a good 64-bit hash of a counter, so that element i needs no state.
__device__ inline u64 hash64(u64 x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

__device__ inline double uniform01(u64 bits) { return (double)(bits >> 11) * (1.0 / 9007199254740992.0); }

__device__ inline double power_of_two(int exponent) {
  double result = 1;
  for (int i = 0; i < exponent; ++i) result *= 2;
  for (int i = 0; i > exponent; --i) result *= 0.5;
  return result;
}

__device__ inline double infinity() {
  union { u64 bits; double number; } word;
  word.bits = 0x7ff0000000000000ull;
  return word.number;
}

__device__ inline double decode(half_bits value) {
  const int exponent = (value.bits >> 10) & 31, fraction = value.bits & 1023;
  const double sign = (value.bits & 0x8000) ? -1 : 1;
  if (exponent == 31) return fraction ? infinity() - infinity() : sign * infinity();
  return sign * (exponent ? (1024 + fraction) * power_of_two(exponent - 25) : fraction * power_of_two(-24));
}
__device__ inline double decode(bfloat16_bits value) {
  union { unsigned bits; float number; } word;
  word.bits = (unsigned)value.bits << 16;
  return word.number;
}
template <class T>
__device__ inline double decode(T value) { return (double)value; }

template <class T>
struct Encode {
  __device__ static T of(double value) { return (T)value; }
};
template <>
struct Encode<bfloat16_bits> {
  __device__ static bfloat16_bits of(double value) {
    union { unsigned bits; float number; } word;
    word.number = (float)value;
    bfloat16_bits result;
    result.bits = (unsigned short)((word.bits + 0x7fff + ((word.bits >> 16) & 1)) >> 16);
    return result;
  }
};
template <>
struct Encode<half_bits> {
  __device__ static half_bits of(double value) {
    half_bits result;
    const unsigned short sign = value < 0 ? 0x8000 : 0;
    double magnitude = value < 0 ? -value : value;
    if (magnitude >= 65520.0) {
      result.bits = (unsigned short)(sign | 0x7c00);
      return result;
    }
    int spacing = -24;  // the format's exponent at this magnitude, 2^-24 for subnormals
    while (spacing < 5 && magnitude >= 2048 * power_of_two(spacing)) ++spacing;
    const double exact = magnitude * power_of_two(-spacing);
    unsigned steps = (unsigned)exact;
    const double rest = exact - steps;
    if (rest > 0.5 || (rest == 0.5 && (steps & 1))) ++steps;
    result.bits = (unsigned short)(sign | (spacing == -24 ? steps : (unsigned)(spacing + 24) * 1024 + steps));
    return result;
  }
};

template <class T>
struct IsInteger { static const bool value = true; };
template <>
struct IsInteger<float> { static const bool value = false; };
template <>
struct IsInteger<double> { static const bool value = false; };
template <>
struct IsInteger<half_bits> { static const bool value = false; };
template <>
struct IsInteger<bfloat16_bits> { static const bool value = false; };

#define FOR_EACH_ELEMENT(i, n) \
  for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += (u64)gridDim.x * blockDim.x)

// kind: 0 constant a; 1 range a + b i; 2 uniform a … b (integers: both included); 3 normal, mean a, deviation b.
__device__ inline double fill_value(int kind, double a, double b, u64 seed, u64 i, bool integer) {
  if (kind == 0) return a;
  if (kind == 1) return a + b * (double)i;
  const u64 bits = hash64(hash64(seed) + i);
  const double u = uniform01(bits);
  if (kind == 2) return integer ? a + floor(u * (b - a + 1)) : a + u * (b - a);
  // Box and Muller (1958); 1 - u is never 0.
  const double v = uniform01(hash64(bits));
  return a + b * sqrt(-2 * log(1 - u)) * cos(6.283185307179586 * v);
}

template <class T>
__global__ void fill(T* out, u64 n, int kind, double a, double b, u64 seed) {
  FOR_EACH_ELEMENT(i, n) out[i] = Encode<T>::of(fill_value(kind, a, b, seed, i, IsInteger<T>::value));
}

// Two integers, of whatever types, stay integers: 64-bit ones do not fit a double.
template <class T, class R>
struct AreIntegers { static const bool value = IsInteger<T>::value && IsInteger<R>::value; };

template <class R, class T>
__device__ inline R converted(T value) {
  if constexpr (AreIntegers<T, R>::value)
    return (R)value;
  else
    return Encode<R>::of(decode(value));
}

template <class T, class R>
__global__ void convert(const T* from, R* to, u64 n) {
  FOR_EACH_ELEMENT(i, n) to[i] = converted<R>(from[i]);
}
