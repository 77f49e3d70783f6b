// Candidates by a threshold. The threads of a row have THREADS_PER_ROW * UNROLL groups of elements, and each finds the
// maxima of its own. Any number that TOP maxima or more reach is a threshold that TOP elements or more reach. It is
// searched by bisection until few more do; the best one is the TOP-th largest maximum.
#pragma once

#include "row.cuh"

constexpr bool enough_groups = groups >= TOP;
constexpr int nearly_top = TOP + TOP / 4;  // maxima that may reach a threshold: each more costs a group to read

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

struct Maxima {
  unsigned keys[UNROLL];
};

// Group `thread * UNROLL + i` has the i-th of each UNROLL vectors of its thread. Empty ones count as minus infinity.
__device__ inline Maxima maxima_of_groups(const Element* row, int columns) {
  const float lowest = __uint_as_float(0xff800000u);
  float maxima[UNROLL];
#pragma unroll
  for (int i = 0; i < UNROLL; ++i) maxima[i] = lowest;
#pragma unroll 1
  for (int column = thread_of_row() * width; column < columns; column += UNROLL * step) {
    Vector vectors[UNROLL];
    const bool whole = column + (UNROLL - 1) * step < columns;
#pragma unroll
    for (int i = 0; i < UNROLL; ++i)
      if (whole || column + i * step < columns) vectors[i] = load_pack<width, load_hint>(row + column + i * step);
#pragma unroll
    for (int i = 0; i < UNROLL; ++i) {
      if (whole || column + i * step < columns) {
#pragma unroll
        for (int j = 0; j < width; ++j) maxima[i] = larger(maxima[i], to_float<format>(vectors[i].at[j]));
      }
    }
  }
  Maxima result;
#pragma unroll
  for (int i = 0; i < UNROLL; ++i) result.keys[i] = key_of(maxima[i]);
  return result;
}

struct Range {
  unsigned smallest;
  unsigned largest;
};

// Smallest and largest maximum of the row, in all of its threads.
__device__ inline Range range_of(const Maxima& maxima, const RowMemory& memory) {
  Range range = {maxima.keys[0], maxima.keys[0]};
#pragma unroll
  for (int i = 1; i < UNROLL; ++i) range = {min(range.smallest, maxima.keys[i]), max(range.largest, maxima.keys[i])};
#pragma unroll
  for (int distance = warp_size / 2; distance > 0; distance /= 2)
    range = {min(range.smallest, __shfl_xor_sync(whole_warp, range.smallest, distance)),
             max(range.largest, __shfl_xor_sync(whole_warp, range.largest, distance))};
  if constexpr (warps_per_row > 1) {
    unsigned* parts = memory.parts + 2 * warps_per_row;  // those of the sums lie before
    if (threadIdx.x % warp_size == 0) {
      parts[threadIdx.x / warp_size * 2] = range.smallest;
      parts[threadIdx.x / warp_size * 2 + 1] = range.largest;
    }
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < warps_per_row; ++i)
      range = {min(range.smallest, parts[2 * i]), max(range.largest, parts[2 * i + 1])};
  }
  return range;
}

// How many maxima reach `threshold`, in all threads of the row. `turn` alternates: who writes a place again has passed
// the barrier of the call between.
__device__ inline int reaching(const Maxima& maxima, unsigned threshold, const RowMemory& memory, int turn) {
  int count = 0;
#pragma unroll
  for (int i = 0; i < UNROLL; ++i) count += __popc(__ballot_sync(whole_warp, maxima.keys[i] >= threshold));
  if constexpr (warps_per_row > 1) {
    unsigned* parts = memory.parts + turn * warps_per_row;
    const int lane = static_cast<int>(threadIdx.x % warp_size);
    if (lane == 0) parts[threadIdx.x / warp_size] = static_cast<unsigned>(count);
    __syncthreads();
    count = warptune::device::warp_sum(lane < warps_per_row ? static_cast<int>(parts[lane]) : 0);
  }
  return count;
}

// 0, which everything reaches, where there are fewer groups than elements to find.
__device__ inline unsigned threshold_of(const Maxima& maxima, const RowMemory& memory) {
  if constexpr (!enough_groups) return 0;
  Range range = range_of(maxima, memory);
  int turn = 0;
  while (range.smallest < range.largest) {
    const unsigned middle = range.smallest + (range.largest - range.smallest) / 2 + 1;
    const int count = reaching(maxima, middle, memory, turn);
    turn = 1 - turn;
    if (count < TOP) {
      range.largest = middle - 1;
    } else {
      range.smallest = middle;
      if (count <= nearly_top) break;
    }
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
