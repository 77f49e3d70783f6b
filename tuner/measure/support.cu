// Kernels that every measurement needs: filling inputs, poisoning outputs, comparing results, watching guard bands. They go
// through the same compiler and device as the kernel under test, so big buffers never leave the device.

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

template <class T, class R>
__global__ void convert(const T* from, R* to, u64 n) {
  FOR_EACH_ELEMENT(i, n) to[i] = Encode<R>::of(decode(from[i]));
}

// A NaN in every floating-point format, different in every word: an output that was not written cannot pass, and two
// unwritten ones do not look alike.
__device__ inline unsigned poison_word(u64 i, u64 seed) {
  return 0xfff10000u | (unsigned)(hash64(seed + i) & 0xffff);
}

extern "C" __global__ void poison(unsigned* words, u64 n, u64 seed) {
  FOR_EACH_ELEMENT(i, n) words[i] = poison_word(i, seed);
}

extern "C" __global__ void clear(unsigned* words, u64 n) {
  FOR_EACH_ELEMENT(i, n) words[i] = 0;
}

// A stretch of words beside a buffer that no kernel may touch.
struct Guard {
  u64 address;
  u64 words;
  u64 seed;
  u64 written;
};

// Beside an input poison: who reads too far carries a NaN into the result. Beside what kernels write a small number in
// every floating-point format: a processor may leave a NaN as it is when something is added to it.
__device__ inline unsigned guard_word(const Guard& guard, u64 i) {
  if (!guard.written) return poison_word(i, guard.seed);
  return 0x3c003c00u | (unsigned)(hash64(guard.seed + i) & 0x03ff03ff);
}

// One block a guard.
extern "C" __global__ void poison_guards(const Guard* guards) {
  const Guard guard = guards[blockIdx.x];
  for (u64 i = threadIdx.x; i < guard.words; i += blockDim.x) ((unsigned*)guard.address)[i] = guard_word(guard, i);
}

// first[g] = the smallest index in guard g whose word has changed; left as it is if there is none.
extern "C" __global__ void check_guards(const Guard* guards, u64* first) {
  const Guard guard = guards[blockIdx.x];
  for (u64 i = threadIdx.x; i < guard.words; i += blockDim.x)
    if (((const unsigned*)guard.address)[i] != guard_word(guard, i)) atomicMin(&first[blockIdx.x], i);
}

// Keeps the device busy for some 20 microseconds without touching memory, while the host queues what is to be timed. On
// the host nothing is queued.
extern "C" __global__ void delay() {
#ifndef WARPTUNE_HOST
  const long long start = clock64();
  while (clock64() - start < 40000) {}
#endif
}

// Of the elements that some of the blocks looked at; in parts, because atomics to one address are a queue.
struct ReportPart {
  u64 mismatches;
  u64 first;
  u64 worst_bits;  // the largest |got - expected| as the bits of a double: for positive ones they order like integers
  u64 checksum;    // the parts' sum depends on every bit of the output
};
constexpr unsigned report_parts = 64;

template <class T>
__device__ inline u64 bits_of(T value) { return (u64)value; }
__device__ inline u64 bits_of(half_bits value) { return value.bits; }
__device__ inline u64 bits_of(bfloat16_bits value) { return value.bits; }
__device__ inline u64 bits_of(float value) {
  union { float number; unsigned bits; } word;
  word.number = value;
  return word.bits;
}
__device__ inline u64 bits_of(double value) {
  union { double number; u64 bits; } word;
  word.number = value;
  return word.bits;
}

// A format's bits after the point, and the exponent of its smallest normal number; 0 bits for integers.
template <class T>
struct Format { static const int fraction = 0, smallest = 0; };
template <>
struct Format<half_bits> { static const int fraction = 10, smallest = -14; };
template <>
struct Format<bfloat16_bits> { static const int fraction = 7, smallest = -126; };
template <>
struct Format<float> { static const int fraction = 23, smallest = -126; };
template <>
struct Format<double> { static const int fraction = 52, smallest = -970; };  // below it a spacing is no normal double

// The distance of neighbouring numbers of format T at this magnitude: one unit in the last place.
template <class T>
__device__ inline double spacing(double magnitude) {
  const int exponent = (int)((bits_of(magnitude) >> 52) & 2047) - 1023;
  const int smallest = Format<T>::smallest, fraction = Format<T>::fraction;
  union { u64 bits; double number; } word;
  word.bits = (u64)((exponent > smallest ? exponent : smallest) - fraction + 1023) << 52;
  return word.number;
}

// Integers of one type are compared as such: 64-bit ones do not fit a double.
template <class T, class R>
struct Equal {
  __device__ static bool of(T a, R b) { return decode(a) == decode(b); }
};
template <>
struct Equal<long long, long long> {
  __device__ static bool of(long long a, long long b) { return a == b; }
};
template <>
struct Equal<u64, u64> {
  __device__ static bool of(u64 a, u64 b) { return a == b; }
};

// One thread's. A correct result in floating point differs from a reference in double precision almost everywhere.
struct Findings {
  u64 mismatches, first, checksum;
  double worst;
};

template <class T, class R>
__device__ inline void compare_element(T got, R expected, u64 i, double absolute, double relative, double ulp,
                                       Findings& found) {
  const double g = decode(got), e = decode(expected);
  if (g != g && e != e) return;  // NaN where NaN belongs
  double error = fabs(g - e);
  if (error == 0) error = 1;  // 64-bit integers that differ by less than a double can tell
  if (error > found.worst) found.worst = error;  // not if it is NaN
  double allowed = absolute + relative * fabs(e);
  if (ulp > 0) allowed += ulp * spacing<T>(fabs(e));
  if (error <= allowed) return;
  if (found.mismatches++ == 0) found.first = i;
}

__device__ inline void add_findings(const Findings& found, ReportPart& part) {
  if (found.checksum) atomicAdd(&part.checksum, found.checksum);
  if (found.worst > 0) {
    union { double number; u64 bits; } worst;
    worst.number = found.worst;
    atomicMax(&part.worst_bits, worst.bits);
  }
  if (found.mismatches == 0) return;
  atomicAdd(&part.mismatches, found.mismatches);
  atomicMin(&part.first, found.first);
}

template <class T, class R>
__global__ void compare(const T* got, const R* expected, u64 n, double absolute, double relative, double ulp,
                        ReportPart* report) {
  Findings found = {0, 0, 0, 0.0};
  FOR_EACH_ELEMENT(i, n) {
    found.checksum += hash64(bits_of(got[i]) + i * 0x9e3779b97f4a7c15ull);
    if (!Equal<T, R>::of(got[i], expected[i])) compare_element(got[i], expected[i], i, absolute, relative, ulp, found);
  }
  add_findings(found, report[blockIdx.x % report_parts]);
}
