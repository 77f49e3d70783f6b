// Candidates by a threshold. The threads of a row have THREADS_PER_ROW * UNROLL groups of elements, and each finds the
// maxima of its own. Any number that TOP maxima or more reach is a threshold that TOP elements or more reach. It is
// searched among the quarters of what is left until few more do; the best one is the TOP-th largest maximum.
#pragma once

#include "row.cuh"

constexpr bool enough_groups = groups >= TOP;
constexpr int nearly_top = TOP + TOP / 2;  // maxima that may reach a threshold: each more costs a group to read
constexpr bool in_pairs = format != NumberFormat::float32;

// The larger one, NaNs first.
__device__ inline float larger(float a, float b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  float result;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
#else
  return a < b || b != b ? b : a;
#endif
}

__device__ inline float first_of_pair(unsigned pair) {
  return to_float<format>(static_cast<Element>(pair & 0xffffu));
}

__device__ inline float second_of_pair(unsigned pair) {
  return to_float<format>(static_cast<Element>(pair >> 16));
}

// The same of two numbers of 16 bits at once, without a conversion.
__device__ inline unsigned larger_pair(unsigned a, unsigned b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  unsigned result;
  if constexpr (format == NumberFormat::half) {
    asm("max.NaN.f16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
  } else {
    asm("max.NaN.bf16x2 %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));
  }
  return result;
#else
  const unsigned first = from_float<format>(larger(first_of_pair(a), first_of_pair(b)));
  return first | static_cast<unsigned>(from_float<format>(larger(second_of_pair(a), second_of_pair(b)))) << 16;
#endif
}

// The maximum of a group while its vectors go by.
struct Maximum {
  float of_floats = __uint_as_float(0xff800000u);
  unsigned of_pairs = format == NumberFormat::half ? 0xfc00fc00u : 0xff80ff80u;

  __device__ void take(const Vector& vector) {
    if constexpr (!in_pairs) {
#pragma unroll
      for (int i = 0; i < width; ++i) of_floats = larger(of_floats, to_float<format>(vector.at[i]));
    } else if constexpr (width == 1) {
      of_pairs = larger_pair(of_pairs, static_cast<unsigned>(vector.at[0]) * 0x10001u);
    } else {
      const auto& pairs = reinterpret_cast<const Pack<unsigned, (width + 1) / 2>&>(vector);
#pragma unroll
      for (int i = 0; i < width / 2; ++i) of_pairs = larger_pair(of_pairs, pairs.at[i]);
    }
  }

  __device__ unsigned key() const {
    if constexpr (in_pairs) return key_of(larger(first_of_pair(of_pairs), second_of_pair(of_pairs)));
    return key_of(of_floats);
  }
};

struct Maxima {
  unsigned keys[UNROLL];
};

// Group `thread * UNROLL + i` has the i-th of each UNROLL vectors of its thread. Empty ones count as minus infinity.
__device__ inline Maxima maxima_of_groups(const Element* row, int columns) {
  Maximum maxima[UNROLL];
#pragma unroll 1
  for (int column = thread_of_row() * width; column < columns; column += UNROLL * step) {
    Vector vectors[UNROLL];
    const bool whole = column + (UNROLL - 1) * step < columns;
#pragma unroll
    for (int i = 0; i < UNROLL; ++i)
      if (whole || column + i * step < columns) vectors[i] = load_pack<width, load_hint>(row + column + i * step);
#pragma unroll
    for (int i = 0; i < UNROLL; ++i) {
      if (whole || column + i * step < columns) maxima[i].take(vectors[i]);
    }
  }
  Maxima result;
#pragma unroll
  for (int i = 0; i < UNROLL; ++i) result.keys[i] = maxima[i].key();
  return result;
}

// Over the warp's lanes, in all of them.
__device__ inline Range over_warp(Range range) {
#pragma unroll
  for (int distance = warp_size / 2; distance > 0; distance /= 2)
    range = {min(range.smallest, __shfl_xor_sync(whole_warp, range.smallest, distance)),
             max(range.largest, __shfl_xor_sync(whole_warp, range.largest, distance))};
  return range;
}

// Smallest and largest maximum of the row, in all of its threads.
__device__ inline Range range_of(const Maxima& maxima, const RowMemory& memory) {
  Range range = {maxima.keys[0], maxima.keys[0]};
#pragma unroll
  for (int i = 1; i < UNROLL; ++i) range = {min(range.smallest, maxima.keys[i]), max(range.largest, maxima.keys[i])};
  range = over_warp(range);
  if constexpr (warps_per_row > 1) {
    Range* parts = memory.ranges;
    if (threadIdx.x % warp_size == 0) parts[threadIdx.x / warp_size] = range;
    __syncthreads();
    range = over_warp(parts[threadIdx.x % warps_per_row]);
  }
  return range;
}

// How many maxima reach each of three thresholds.
struct Counts {
  int at[3];
};

// Three thresholds, `distance` apart from `first` on; in all threads of the row. `turn` alternates: who writes a place
// again has passed the barrier of the call between.
__device__ inline Counts reaching(const Maxima& maxima, unsigned first, unsigned distance, const RowMemory& memory,
                                  int turn) {
  constexpr int bits = 20;  // a sum over the row's groups needs fewer
  Counts counts = {};
#pragma unroll
  for (int i = 0; i < UNROLL; ++i) {
#pragma unroll
    for (unsigned j = 0; j < 3; ++j)
      counts.at[j] += __popc(__ballot_sync(whole_warp, maxima.keys[i] >= first + j * distance));
  }
  if constexpr (warps_per_row > 1) {
    unsigned long long* parts = memory.parts + turn * warps_per_row;
    const int lane = static_cast<int>(threadIdx.x % warp_size);
    if (lane == 0)
      parts[threadIdx.x / warp_size] = static_cast<unsigned long long>(counts.at[0]) |
                                       static_cast<unsigned long long>(counts.at[1]) << bits |
                                       static_cast<unsigned long long>(counts.at[2]) << 2 * bits;
    __syncthreads();
    const unsigned long long all = warptune::device::warp_sum(lane < warps_per_row ? parts[lane] : 0ull);
    constexpr unsigned long long mask = (1ull << bits) - 1;
    counts = {static_cast<int>(all & mask), static_cast<int>(all >> bits & mask), static_cast<int>(all >> 2 * bits)};
  }
  return counts;
}

// 0, which everything reaches, where there are fewer groups than elements to find. Each step looks at the three
// quarters of what is left.
__device__ inline unsigned threshold_of(const Maxima& maxima, const RowMemory& memory) {
  if constexpr (!enough_groups) return 0;
  Range range = range_of(maxima, memory);
  int turn = 0;
  while (range.smallest < range.largest) {
    const unsigned distance = (range.largest - range.smallest) / 4 + 1;
    const Counts counts = reaching(maxima, range.smallest + distance, distance, memory, turn);
    turn = 1 - turn;
    int parts = 0, reached = groups;  // of a distance, by which the threshold moves up, and how many reach that
#pragma unroll
    for (int i = 0; i < 3; ++i) {
      if (counts.at[i] < TOP) continue;
      parts = i + 1;
      reached = counts.at[i];
    }
    range.largest = parts == 3 ? range.largest : range.smallest + (parts + 1) * distance - 1;
    range.smallest += parts * distance;
    if (reached <= nearly_top) break;
  }
  return range.smallest;
}

// The row's threads share the groups that passed, vector by vector.
__device__ inline void read_groups(const Element* row, int columns, unsigned threshold, const RowMemory& memory) {
  const int vectors = (columns - 1) / (UNROLL * step) + 1;  // of a group
  const int all = static_cast<int>(memory.counters[1]) * vectors;
#pragma unroll 2
  for (int i = thread_of_row(); i < all; i += THREADS_PER_ROW) {
    const int group = memory.passed[i / vectors];
    const int column = group / UNROLL * width + (i % vectors * UNROLL + group % UNROLL) * step;
    if (column >= columns) continue;
    const Vector vector = load_pack<width>(row + column);
#pragma unroll
    for (int j = 0; j < width; ++j) {
      const unsigned key = key_of(to_float<format>(vector.at[j]));
      if (key >= threshold) put(candidate_of(key, column + j), memory, memory.counters);
    }
  }
}

// Fills the candidates and returns how many there should be: they are all there if that is CANDIDATES or less.
__device__ inline int candidates_by_threshold(const Element* row, int columns, const RowMemory& memory) {
  if (thread_of_row() < 2) memory.counters[thread_of_row()] = 0;
  const Maxima maxima = maxima_of_groups(row, columns);
  const unsigned threshold = threshold_of(maxima, memory);
  wait_for_row();
#pragma unroll
  for (int i = 0; i < UNROLL; ++i) {
    if (maxima.keys[i] >= threshold)
      memory.passed[atomicAdd(memory.counters + 1, 1u)] = static_cast<unsigned short>(thread_of_row() * UNROLL + i);
  }
  wait_for_row();
  read_groups(row, columns, threshold, memory);
  wait_for_row();
  return static_cast<int>(memory.counters[0]);
}
