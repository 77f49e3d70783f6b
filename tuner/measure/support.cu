// Kernels that every measurement needs: filling inputs, poisoning outputs, comparing results, watching what no kernel may
// write. They go
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

// What a buffer holds that was not written: one of four kinds for every 64 words, the next kind in the next round, so that
// four runs see each word as each kind, and a large buffer shows all kinds at once. A maximum, a minimum, a sum, a flag or
// a test for NaN that relies on what was there before is right for one kind at most. `noise` differs from run to run and
// is no memory that a kernel could read.
struct Poison {
  u64 key;    // the buffer's own
  u64 round;  // the run's: picks the kind
  u64 noise;  // the run's
};

__device__ inline unsigned poison_word(const Poison& poison, u64 i) {
  const u64 kind = (hash64(poison.key + (i >> 6)) + poison.round) & 3;
  const u64 bits = hash64((poison.noise ^ poison.key) + i);
  const unsigned low = (unsigned)bits;
  // A NaN in every floating-point format, and none that a processor makes: computed ones can be told from it.
  if (kind == 0) return 0xfff1fd00u | (low & 0x000e00ff);
  if (kind == 1) return 0x7b007b00u | (low & 0x00ff00ff);  // large in every format
  if (kind == 2) return 0xfb00fb00u | (low & 0x00ff00ff);  // and negative; of unsigned numbers the largest
  return bits >> 63 ? 0 : (unsigned)(bits >> 20);          // nothing, or anything
}

// The bits of element i of T in poisoned memory.
template <class T>
__device__ inline u64 poison_bits(const Poison& poison, u64 i) {
  const u64 byte = i * sizeof(T);
  const u64 word = poison_word(poison, byte / 4);
  if (sizeof(T) == 8) return word | (u64)poison_word(poison, byte / 4 + 1) << 32;
  const u64 mask = sizeof(T) == 4 ? 0xffffffffull : sizeof(T) == 2 ? 0xffffull : 0xffull;
  return (word >> (byte % 4 * 8)) & mask;
}

// Sixteen bytes at a time, and what is left byte by byte: the byte behind a buffer is a guard's.
struct alignas(16) Quad { unsigned words[4]; };

__device__ inline void set_byte(u64 to, u64 i, unsigned word) {
  ((unsigned char*)to)[i] = (unsigned char)(word >> (i % 4 * 8));
}

// One thing to be done to a buffer before a run.
struct StageJob {
  u64 to;
  u64 from;  // an address to copy from, `stage_poison` or `stage_zero`
  u64 bytes;
  u64 key;
  u64 lane;  // counts on from the round
};
constexpr u64 stage_poison = 0, stage_zero = 1;

// One row of blocks a job. Addresses are multiples of 16.
extern "C" __global__ void stage(const StageJob* jobs, u64 round, u64 noise) {
  const StageJob job = jobs[blockIdx.y];
  const Poison poison = {job.key, round + job.lane, noise + job.lane};
  const u64 quads = job.bytes / 16;
  FOR_EACH_ELEMENT(i, quads) {
    Quad quad = {{0, 0, 0, 0}};
    if (job.from == stage_poison)
      for (int k = 0; k < 4; ++k) quad.words[k] = poison_word(poison, 4 * i + k);
    else if (job.from != stage_zero)
      quad = ((const Quad*)job.from)[i];
    ((Quad*)job.to)[i] = quad;
  }
  const u64 left = job.bytes - quads * 16;
  FOR_EACH_ELEMENT(k, left) {
    const u64 i = quads * 16 + k;
    if (job.from == stage_poison)
      set_byte(job.to, i, poison_word(poison, i / 4));
    else
      ((unsigned char*)job.to)[i] = job.from == stage_zero ? 0 : ((const unsigned char*)job.from)[i];
  }
}

extern "C" __global__ void poison(u64 to, u64 bytes, u64 key, u64 round, u64 noise) {
  const Poison poison = {key, round, noise};
  FOR_EACH_ELEMENT(i, bytes / 4) ((unsigned*)to)[i] = poison_word(poison, i);
  FOR_EACH_ELEMENT(k, bytes % 4) set_byte(to, bytes / 4 * 4 + k, poison_word(poison, bytes / 4));
}

extern "C" __global__ void clear(u64 to, u64 bytes) {
  FOR_EACH_ELEMENT(i, bytes / 4) ((unsigned*)to)[i] = 0;
  FOR_EACH_ELEMENT(k, bytes % 4) ((unsigned char*)to)[bytes / 4 * 4 + k] = 0;
}

// A stretch of memory beside a buffer that no kernel may touch. Its bytes are watched one by one.
struct Guard {
  u64 address;
  u64 bytes;
  u64 seed;
  u64 written;
};

// Beside an input NaN, and in every other phase a number that is large in every format, for a maximum drops NaN: who reads
// too far carries it into the result. Beside what kernels write a small number in every floating-point format: a processor
// may leave a NaN as it is when something is added to it. No byte is the same in two phases in a row: one written with
// what was there anyway was not there the other time.
__device__ inline unsigned guard_word(const Guard& guard, u64 i, u64 phase) {
  const unsigned bits = (unsigned)hash64(guard.seed + i);
  const unsigned small = 0x3c003c00u | (bits & 0x03ff03ff);
  if (guard.written) return phase & 1 ? ~small : small;
  const unsigned nan = 0xfff1fd00u | (bits & 0x000e00ff);
  return phase & 1 ? 0x7b007b00u | (~nan & 0x00ff00ff) : nan;
}

__device__ inline unsigned char guard_byte(const Guard& guard, u64 i, u64 phase) {
  return (unsigned char)(guard_word(guard, i / 4, phase) >> (i % 4 * 8));
}

// A guard's whole words begin where the address is a multiple of 4. One row of blocks a guard.
struct GuardParts { u64 head, words, tail; };
__device__ inline GuardParts parts_of(const Guard& guard) {
  const u64 head = (4 - guard.address % 4) % 4;
  if (head >= guard.bytes) return {guard.bytes, 0, 0};
  return {head, (guard.bytes - head) / 4, (guard.bytes - head) % 4};
}
// Bytes are counted from the first whole word on, those before it behind all others.
__device__ inline u64 numbered(const GuardParts& parts, u64 byte) {
  return byte < parts.head ? parts.words * 4 + parts.tail + byte : byte - parts.head;
}

extern "C" __global__ void poison_guards(const Guard* guards, u64 phase) {
  const Guard guard = guards[blockIdx.y];
  const GuardParts parts = parts_of(guard);
  FOR_EACH_ELEMENT(i, parts.words) ((unsigned*)(guard.address + parts.head))[i] = guard_word(guard, i, phase);
  FOR_EACH_ELEMENT(k, parts.head + parts.tail) {
    const u64 byte = k < parts.head ? k : parts.words * 4 + k;
    ((unsigned char*)guard.address)[byte] = guard_byte(guard, numbered(parts, byte), phase);
  }
}

// first[g] = the smallest byte of guard g that has changed; left as it is if there is none.
extern "C" __global__ void check_guards(const Guard* guards, u64 phase, u64* first) {
  const Guard guard = guards[blockIdx.y];
  const GuardParts parts = parts_of(guard);
  FOR_EACH_ELEMENT(i, parts.words) {
    const unsigned changed = ((const unsigned*)(guard.address + parts.head))[i] ^ guard_word(guard, i, phase);
    if (changed == 0) continue;
    int k = 0;
    while ((changed >> (8 * k) & 255) == 0) ++k;
    atomicMin(&first[blockIdx.y], parts.head + 4 * i + k);
  }
  FOR_EACH_ELEMENT(k, parts.head + parts.tail) {
    const u64 byte = k < parts.head ? k : parts.words * 4 + k;
    if (((const unsigned char*)guard.address)[byte] != guard_byte(guard, numbered(parts, byte), phase))
      atomicMin(&first[blockIdx.y], byte);
  }
}

// Memory that kernels may read at most, in pieces of 256 bytes, of which each has its sum.
struct Region {
  u64 address;
  u64 bytes;
  u64 sums;  // the address of as many numbers as there are pieces
};
constexpr u64 piece_bytes = 256;

__device__ inline u64 sum_of_piece(const Region& region, u64 piece) {
  const u64 begin = piece * piece_bytes;
  const u64 end = begin + piece_bytes < region.bytes ? begin + piece_bytes : region.bytes;
  u64 sum = 0, at = begin;
  for (; at + 16 <= end; at += 16) {
    const Quad quad = *(const Quad*)(region.address + at);
    sum += hash64((quad.words[0] | (u64)quad.words[1] << 32) + at) + hash64(~(quad.words[2] | (u64)quad.words[3] << 32) - at);
  }
  for (; at < end; ++at) sum += hash64(((const unsigned char*)region.address)[at] + (at << 8));
  return sum;
}

// One row of blocks a region.
extern "C" __global__ void sum_regions(const Region* regions) {
  const Region region = regions[blockIdx.y];
  FOR_EACH_ELEMENT(i, (region.bytes + piece_bytes - 1) / piece_bytes) ((u64*)region.sums)[i] = sum_of_piece(region, i);
}

// first[r] = the smallest piece of region r that has changed, of one in `stride` that are looked at; which, `seed` decides.
extern "C" __global__ void check_regions(const Region* regions, u64 stride, u64 seed, u64* first) {
  const Region region = regions[blockIdx.y];
  const u64 pieces = (region.bytes + piece_bytes - 1) / piece_bytes;
  FOR_EACH_ELEMENT(i, (pieces + stride - 1) / stride) {
    const u64 piece = i * stride + (stride > 1 ? hash64(seed + i) % stride : 0);
    if (piece < pieces && ((const u64*)region.sums)[piece] != sum_of_piece(region, piece))
      atomicMin(&first[blockIdx.y], piece);
  }
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
  u64 unwritten;   // of the mismatches: those that still hold the poison
  u64 proof;       // secret times the sum of 2 i + 1 over the right elements: nobody else can say that all are right
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

// Narrow signed integers arrive with their sign in front.
template <class T>
__device__ inline u64 width_mask() { return ~0ull >> (64 - 8 * sizeof(T)); }

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
  u64 mismatches, first, checksum, unwritten, right;
  double worst;
};

__device__ inline bool is_nan(double value) { return value != value; }
__device__ inline bool is_finite(double value) { return value - value == 0; }

// Infinity and NaN are right where they are expected, and nothing else is there; no tolerance reaches them.
template <class T>
__device__ inline bool within(double got, double expected, double absolute, double relative, double ulp,
                              Findings& found) {
  if (is_nan(expected)) return is_nan(got);
  if (!is_finite(got) || !is_finite(expected)) return got == expected;
  double error = fabs(got - expected);
  if (error == 0) error = 1;  // 64-bit integers that differ by less than a double can tell
  if (error > found.worst) found.worst = error;
  double allowed = absolute + relative * fabs(expected);
  if (ulp > 0) allowed += ulp * spacing<T>(fabs(expected));
  return error <= allowed;
}

__device__ inline void add_findings(const Findings& found, u64 secret, ReportPart& part) {
  if (found.checksum) atomicAdd(&part.checksum, found.checksum);
  if (found.right) atomicAdd(&part.proof, secret * found.right);
  if (found.worst > 0) {
    union { double number; u64 bits; } worst;
    worst.number = found.worst;
    atomicMax(&part.worst_bits, worst.bits);
  }
  if (found.mismatches == 0) return;
  atomicAdd(&part.mismatches, found.mismatches);
  atomicMin(&part.first, found.first);
  if (found.unwritten) atomicAdd(&part.unwritten, found.unwritten);
}

// `poison` is what `got` held before the run. A NaN of its bits was not written, whatever was expected.
template <class T, class R>
__global__ void compare(const T* got, const R* expected, u64 n, double absolute, double relative, double ulp,
                        u64 key, u64 round, u64 noise, u64 secret, ReportPart* report) {
  const Poison poison = {key, round, noise};
  Findings found = {0, 0, 0, 0, 0, 0.0};
  FOR_EACH_ELEMENT(i, n) {
    const u64 bits = bits_of(got[i]);
    found.checksum += hash64(bits + i * 0x9e3779b97f4a7c15ull);
    bool right = Equal<T, R>::of(got[i], expected[i]);
    if (!right) {
      right = within<T>(decode(got[i]), decode(expected[i]), absolute, relative, ulp, found);
      const bool unwritten = (!right || is_nan(decode(got[i]))) && (bits & width_mask<T>()) == poison_bits<T>(poison, i);
      if (unwritten) right = false, ++found.unwritten;
    }
    if (right)
      found.right += 2 * i + 1;
    else if (found.mismatches++ == 0)
      found.first = i;
  }
  add_findings(found, secret, report[blockIdx.x % report_parts]);
}

// Elements that held the poison after one run of the reference, and the opposite of it after another that began so.
template <class R>
__global__ void find_unwritten(const R* once, const R* again, u64 n, u64 key, u64 round, u64 noise, ReportPart* report) {
  const Poison poison = {key, round, noise};
  Findings found = {0, 0, 0, 0, 0, 0.0};
  FOR_EACH_ELEMENT(i, n) {
    const u64 mask = width_mask<R>(), bits = poison_bits<R>(poison, i);
    const bool unwritten = (bits_of(once[i]) & mask) == bits && (bits_of(again[i]) & mask) == (once == again ? bits : ~bits & mask);
    if (unwritten && found.mismatches++ == 0) found.first = i;
  }
  add_findings(found, 0, report[blockIdx.x % report_parts]);
}

extern "C" __global__ void invert(unsigned* words, u64 n) {
  FOR_EACH_ELEMENT(i, n) words[i] = ~words[i];
}
