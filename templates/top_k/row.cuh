// What both algorithms share: candidates, the threads of a row, and where they keep what in shared memory.
#pragma once

#include <warptune/device/numbers16.cuh>
#include <warptune/device/vectors.cuh>
#include <warptune/device/warp.cuh>

using warptune::device::CacheHint;
using warptune::device::from_float;
using warptune::device::load_pack;
using warptune::device::NumberFormat;
using warptune::device::Pack;
using warptune::device::StoredNumber;
using warptune::device::to_float;
using warptune::device::warp_size;
using warptune::device::whole_warp;

enum class Algorithm { threshold, radix, queue };
enum class Finish { rank, bitonic };

constexpr NumberFormat format = NumberFormat::FORMAT;
constexpr CacheHint load_hint = CacheHint::CACHE_HINT_LOAD;
constexpr Algorithm algorithm = Algorithm::ALGORITHM;
constexpr Finish finish = Finish::FINISH;
constexpr int width = ALIGNED_WIDTH;
constexpr int rows_per_block = BLOCK_SIZE / THREADS_PER_ROW;
constexpr int warps_per_row = THREADS_PER_ROW / warp_size;
constexpr int step = THREADS_PER_ROW * width;  // elements from one vector of a thread to its next
constexpr int groups = THREADS_PER_ROW * UNROLL;
constexpr int digits = 256;

using Element = StoredNumber<format>::type;
using Vector = Pack<Element, width>;
using Candidate = unsigned long long;

// An element as an unsigned integer of the same order: any NaN above infinity, and 0 for none.
__device__ inline unsigned key_of(float value) {
  if (value != value) return 0xffc00000u;
  const unsigned bits = __float_as_uint(value + 0.0f);  // -0 + 0 is 0
  return bits ^ (bits >> 31 != 0 ? 0xffffffffu : 0x80000000u);
}

__device__ inline float value_of(unsigned key) {
  return __uint_as_float(key ^ (key >> 31 != 0 ? 0x80000000u : 0xffffffffu));
}

__device__ inline Candidate candidate_of(unsigned key, int column) {
  return static_cast<Candidate>(key) << 32 | ~static_cast<unsigned>(column);
}

__device__ inline void write(Candidate candidate, Element* value, int* index) {
  *value = from_float<format>(value_of(static_cast<unsigned>(candidate >> 32)));
  *index = static_cast<int>(~static_cast<unsigned>(candidate));
}

__device__ inline int thread_of_row() {
  return static_cast<int>(threadIdx.x % THREADS_PER_ROW);
}

__device__ inline void wait_for_row() {
  if constexpr (THREADS_PER_ROW == warp_size) {
    __syncwarp();
  } else {
    __syncthreads();
  }
}

struct Range {
  unsigned smallest;
  unsigned largest;
};

// A row's shared memory.
struct RowMemory {
  Candidate* candidates;      // CANDIDATES
  unsigned long long* parts;  // 2 * warps_per_row, of sums over the row's threads
  Range* ranges;              // warps_per_row
  unsigned* counts;           // digits
  unsigned* counters;         // 4
  unsigned short* passed;     // groups

  __device__ explicit RowMemory(char* memory)
      : candidates(reinterpret_cast<Candidate*>(memory)),
        parts(candidates + CANDIDATES),
        ranges(reinterpret_cast<Range*>(parts + 2 * warps_per_row)),
        counts(reinterpret_cast<unsigned*>(ranges + warps_per_row)),
        counters(counts + digits),
        passed(reinterpret_cast<unsigned short*>(counters + 4)) {}
};
constexpr int row_bytes = ROW_BYTES;
static_assert(row_bytes % 16 == 0 && row_bytes >= CANDIDATES * 8 + digits * 4 + 16 + 24 * warps_per_row + 2 * groups,
              "template.toml knows how much shared memory a row needs");

// Takes a candidate; `count` counts those too that find no place any more.
__device__ inline void put(Candidate candidate, const RowMemory& memory, unsigned* count) {
  const unsigned place = atomicAdd(count, 1u);
  if (place < CANDIDATES) memory.candidates[place] = candidate;
}
