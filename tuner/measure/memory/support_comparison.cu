// Results against the reference's, with tolerances, and what was never written. Follows support_memory.cu.

// Of the elements that some of the blocks looked at; in parts, because atomics to one address are a queue.
struct ReportPart {
  u64 mismatches;
  u64 first;
  u64 worst_bits;  // the largest |got - expected| as the bits of a double: for positive ones they order like integers
  u64 checksum;    // the parts' sum depends on every bit of the output
  u64 unwritten;   // of the mismatches: those that still hold the poison
  double squares;  // the sum of (got - expected)^2 over finite elements
  u64 proof;       // secret times the sum of 2 i + 1 over the right elements: nobody else can say that all are right
  u64 zeros;       // of the unwritten: those whose poison is 0, which a kernel may have written
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

// Of any type: 64-bit integers fit neither a double nor each other.
struct Integer {
  bool negative;
  u64 bits;  // two's complement
};
template <class T>
__device__ inline Integer integer_of(T value) {
  const bool is_signed = (T)-1 < (T)1;
  return {is_signed && (long long)value < 0, (u64)value};
}
__device__ inline bool operator==(Integer a, Integer b) { return a.negative == b.negative && a.bits == b.bits; }

// Of two integers, which may need a 65th bit.
struct Distance {
  bool high;
  u64 low;
};
constexpr double beyond_64_bits = 18446744073709551616.0;

__device__ inline Distance distance(Integer a, Integer b) {
  const bool a_is_less = a.negative != b.negative ? a.negative : a.bits < b.bits;
  const Integer less = a_is_less ? a : b, more = a_is_less ? b : a;
  return {less.negative != more.negative && more.bits >= less.bits, more.bits - less.bits};
}
__device__ inline double to_double(Distance distance) {
  return (distance.high ? beyond_64_bits : 0) + (double)distance.low;
}
__device__ inline bool is_at_most(Distance distance, double allowed) {
  if (distance.high) allowed -= beyond_64_bits;
  return allowed >= beyond_64_bits || (allowed >= 0 && distance.low <= (u64)allowed);
}

// Without a loss.
template <class T, class R>
struct Equal {
  __device__ static bool of(T a, R b) {
    if constexpr (AreIntegers<T, R>::value)
      return integer_of(a) == integer_of(b);
    else
      return decode(a) == decode(b);
  }
};

// One thread's. A correct result in floating point differs from a reference in double precision almost everywhere.
struct Findings {
  u64 mismatches, first, checksum, unwritten, zeros, right;
  double worst, squares;
};

__device__ inline bool is_nan(double value) { return value != value; }
__device__ inline bool is_finite(double value) { return value - value == 0; }

// How far from the reference is still right.
struct Allowed { double absolute, relative, ulp; };

template <class T>
__device__ inline double room(const Allowed& allowed, double expected) {
  const double error = allowed.absolute + allowed.relative * fabs(expected);
  return allowed.ulp > 0 ? error + allowed.ulp * spacing<T>(fabs(expected)) : error;
}

__device__ inline void note_error(double error, Findings& found) {
  if (error > found.worst) found.worst = error;
  found.squares += error * error;
}

// Of what is not equal. Infinity and NaN are right where they are expected, and nothing else is there; no tolerance
// reaches them.
template <class T, class R>
__device__ inline bool within(T got, R expected, const Allowed& allowed, Findings& found) {
  const double value = decode(expected);
  if constexpr (AreIntegers<T, R>::value) {
    const Distance error = distance(integer_of(got), integer_of(expected));
    note_error(to_double(error), found);
    return is_at_most(error, room<T>(allowed, value));
  } else {
    const double number = decode(got);
    if (is_nan(value)) return is_nan(number);
    if (!is_finite(number) || !is_finite(value)) return number == value;
    const double error = fabs(number - value);
    note_error(error, found);
    return error <= room<T>(allowed, value);
  }
}

__device__ inline void add_findings(const Findings& found, u64 secret, ReportPart& part) {
  if (found.checksum) atomicAdd(&part.checksum, found.checksum);
  if (found.right) atomicAdd(&part.proof, secret * found.right);
  if (found.worst > 0) {
    union { double number; u64 bits; } worst;
    worst.number = found.worst;
    atomicMax(&part.worst_bits, worst.bits);
    atomicAdd(&part.squares, found.squares);
  }
  if (found.unwritten) atomicAdd(&part.unwritten, found.unwritten);
  if (found.zeros) atomicAdd(&part.zeros, found.zeros);
  if (found.mismatches == 0) return;
  atomicAdd(&part.mismatches, found.mismatches);
  atomicMin(&part.first, found.first);
}

// What is expected lies under a key stream between the comparisons: a kernel that finds it finds noise.
extern "C" __global__ void mask(u64* words, u64 n, u64 key) {
  FOR_EACH_ELEMENT(i, n) words[i] ^= hash64(key + i);
}

template <int Bytes>
struct Word { typedef u64 type; };
template <>
struct Word<4> { typedef unsigned type; };
template <>
struct Word<2> { typedef unsigned short type; };
template <>
struct Word<1> { typedef unsigned char type; };

// Element i of what `mask` has hidden. The key 0 says that nothing has.
template <class R>
__device__ inline R unmasked(const R* from, u64 i, u64 key) {
  typedef typename Word<sizeof(R)>::type Bits;
  if (key == 0) return from[i];
  union { Bits bits; R value; } element;
  const u64 byte = i * sizeof(R);
  element.bits = (Bits)(((const Bits*)from)[i] ^ (hash64(key + byte / 8) >> byte % 8 * 8));
  return element.value;
}

// Row by row of the grid what several runs left: the first in `first`, the others at the addresses that lie `stride`
// bytes apart from `others` on, each of which began with the next poison. `poison` is what `first` held before its run. A NaN of its bits was not written,
// whatever was expected. The checksum is the first run's.
template <class T, class R>
__global__ void compare(const T* first, u64 others, u64 stride, const R* masked, u64 mask_key, u64 n, double absolute,
                        double relative, double ulp, u64 key, u64 round, u64 noise, u64 secret, ReportPart* report) {
  const u64 run = blockIdx.y;
  const T* got = run == 0 ? first : *(const T* const*)(others + (run - 1) * stride);
  const Poison poison = {key, round + run, noise + run};
  const Allowed allowed = {absolute, relative, ulp};
  Findings found = {0, 0, 0, 0, 0, 0, 0.0, 0.0};
  FOR_EACH_ELEMENT(i, n) {
    const R expected = unmasked(masked, i, mask_key);
    const u64 bits = bits_of(got[i]);
    if (run == 0) found.checksum += hash64(bits + i * 0x9e3779b97f4a7c15ull);
    bool right = Equal<T, R>::of(got[i], expected);
    if (!right) {
      right = within(got[i], expected, allowed, found);
      const bool unwritten = (!right || is_nan(decode(got[i]))) && (bits & width_mask<T>()) == poison_bits<T>(poison, i);
      if (unwritten) right = false, ++found.unwritten, found.zeros += (bits & width_mask<T>()) == 0;
    }
    if (right)
      found.right += 2 * i + 1;
    else if (found.mismatches++ == 0)
      found.first = run * n + i;
  }
  add_findings(found, secret, report[(blockIdx.x + 5 * blockIdx.y) % report_parts]);
}

// Elements that held the poison after one run of the reference, and the opposite of it after another that began so.
template <class R>
__global__ void find_unwritten(const R* once, const R* again, u64 n, u64 key, u64 round, u64 noise, ReportPart* report) {
  const Poison poison = {key, round, noise};
  Findings found = {0, 0, 0, 0, 0, 0, 0.0, 0.0};
  FOR_EACH_ELEMENT(i, n) {
    const u64 mask = width_mask<R>(), bits = poison_bits<R>(poison, i);
    const bool unwritten = (bits_of(once[i]) & mask) == bits && (bits_of(again[i]) & mask) == (once == again ? bits : ~bits & mask);
    if (unwritten && found.mismatches++ == 0) found.first = i;
  }
  add_findings(found, 0, report[blockIdx.x % report_parts]);
}

// What is expected of an output, as far as it decides whether a comparison with it can tell right from wrong.
struct SurveyPart {
  u64 least, most;   // of the finite elements, as places in the order of doubles; `least` counts from its end
  u64 nan, infinite;
  u64 same[3];       // how many are equal to each of three elements that lie apart
  u64 unchanged;     // of how many what the buffer begins as is right
  u64 told;          // of how many a zero would be wrong
  u64 room;          // the largest error that is allowed, as the bits of a double
  double samples[3]; // those three elements, in the first part
};

__device__ inline u64 place_in_order(double value) {
  const u64 bits = bits_of(value);
  return bits >> 63 ? ~bits : bits | 1ull << 63;
}

template <class T, class R>
__device__ inline bool same_value(T a, R b) {
  return Equal<T, R>::of(a, b) || (is_nan(decode(a)) && is_nan(decode(b)));
}

template <class T, class R>
__device__ inline bool is_right(T got, R expected, const Allowed& allowed) {
  Findings found = {0, 0, 0, 0, 0, 0, 0.0, 0.0};
  return Equal<T, R>::of(got, expected) || within(got, expected, allowed, found);
}

__device__ inline void add_survey(const SurveyPart& mine, SurveyPart& part) {
  atomicMax(&part.least, mine.least);
  atomicMax(&part.most, mine.most);
  atomicMax(&part.room, mine.room);
  if (mine.nan) atomicAdd(&part.nan, mine.nan);
  if (mine.infinite) atomicAdd(&part.infinite, mine.infinite);
  for (int i = 0; i < 3; ++i)
    if (mine.same[i]) atomicAdd(&part.same[i], mine.same[i]);
  if (mine.unchanged) atomicAdd(&part.unchanged, mine.unchanged);
  if (mine.told) atomicAdd(&part.told, mine.told);
}

// `first` is what the buffer begins as, or null.
template <class T, class R>
__global__ void survey(const R* expected, const T* first, u64 n, double absolute, double relative, double ulp,
                       SurveyPart* report) {
  const Allowed allowed = {absolute, relative, ulp};
  SurveyPart mine = {};
  const R samples[3] = {expected[hash64(1) % n], expected[hash64(2) % n], expected[hash64(3) % n]};
  FOR_EACH_ELEMENT(i, n) {
    const R element = expected[i];
    const double value = decode(element);
    for (int each = 0; each < 3; ++each) mine.same[each] += same_value(element, samples[each]);
    if (first) mine.unchanged += is_right(first[i], element, allowed);
    mine.nan += is_nan(value);
    mine.infinite += !is_nan(value) && !is_finite(value);
    if (!is_finite(value)) {
      ++mine.told;
      continue;
    }
    const u64 place = place_in_order(value);
    if (place > mine.most) mine.most = place;
    if (~place > mine.least) mine.least = ~place;
    const double most_error = room<T>(allowed, value);
    mine.told += most_error == 0 || !is_right(converted<T>(0), element, allowed);
    if (bits_of(most_error) > mine.room) mine.room = bits_of(most_error);
  }
  add_survey(mine, report[blockIdx.x % report_parts]);
  if (blockIdx.x == 0 && threadIdx.x == 0)
    for (int each = 0; each < 3; ++each) report[0].samples[each] = decode(samples[each]);
}

// The sum of all elements, in an order that does not change, as the widest number of its kind. What still holds the poison
// is counted beside it, where that is wide enough to be no accident. For one block.
template <class T, class W>
__global__ void sum_elements(const T* from, u64 n, u64 key, u64 round, u64 noise, W* sum, u64* unwritten) {
  __shared__ W sums[256];
  __shared__ u64 counts[256];
  const Poison poison = {key, round, noise};
  W mine = 0;
  u64 count = 0;
  for (u64 i = threadIdx.x; i < n; i += blockDim.x) {
    mine += converted<W>(from[i]);
    const u64 bits = bits_of(from[i]) & width_mask<T>();
    count += sizeof(T) >= 4 && bits != 0 && bits == poison_bits<T>(poison, i);
  }
  sums[threadIdx.x] = mine;
  counts[threadIdx.x] = count;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (unsigned i = 1; i < blockDim.x; ++i) mine += sums[i], count += counts[i];
  *sum = mine;
  *unwritten = count;
}

// Adds what depends on every byte and its place, and on nothing else: neither on the device nor on who looks.
extern "C" __global__ void checksum(const unsigned char* bytes, u64 n, u64* sum) {
  u64 mine = 0;
  FOR_EACH_ELEMENT(i, (n + 3) / 4) {
    u64 word = 0;
    for (u64 byte = 4 * i; byte < n && byte < 4 * i + 4; ++byte) word |= (u64)bytes[byte] << (byte % 4 * 8);
    mine += hash64(word + i * 0x9e3779b97f4a7c15ull);
  }
  if (mine) atomicAdd(sum, mine);
}

extern "C" __global__ void invert(unsigned* words, u64 n) {
  FOR_EACH_ELEMENT(i, n) words[i] = ~words[i];
}
