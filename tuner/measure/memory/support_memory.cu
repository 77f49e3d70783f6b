// Poison, guards and sums: what buffers hold before a run, and whether a kernel wrote where it may not.
// Follows support_values.cu.

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

// Reads all of it, and writes nothing unless it holds what nobody puts there: caches are then full of it, and none of it
// is waiting to be written back.
extern "C" __global__ void read(u64 from, u64 bytes) {
  unsigned all = 0xffffffffu;
  FOR_EACH_ELEMENT(i, bytes / 16) {
    const Quad quad = ((const Quad*)from)[i];
    all &= quad.words[0] & quad.words[1] & quad.words[2] & quad.words[3];
  }
  if (all == 0x5eed5eedu) ((unsigned*)from)[0] = 0;
}

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
