// Merging two sorted runs in parallel: who knows how many of the first d keys of the result come from each run can
// begin there without the others. (Odeh et al. 2012; Green, McColl & Bader 2012: the merge path crosses diagonal d
// there.)
#pragma once

#include "thread_sort.cuh"

constexpr int warp = 32;
constexpr int tile_size = BLOCK_SIZE * COARSENING;

// How many of the first `diagonal` keys of the result come from a; equal keys of a come first. For one thread.
template <class Index>
__device__ inline Index path_for_thread(const Key* a, Index a_count, const Key* b, Index b_count, Index diagonal) {
  Index low = diagonal > b_count ? diagonal - b_count : 0;
  Index high = min(diagonal, a_count);
  while (low < high) {
    const Index middle = (low + high) / 2;
    if (a[middle] <= b[diagonal - 1 - middle]) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// For a warp: each step waits for memory once, and PROBES threads cut what is left into PROBES + 1 parts.
__device__ inline long long path_for_warp(const Key* a, long long a_count, const Key* b, long long b_count,
                                          long long diagonal) {
  const int lane = static_cast<int>(threadIdx.x) % warp;
  long long low = diagonal > b_count ? diagonal - b_count : 0;
  long long high = diagonal < a_count ? diagonal : a_count;
  while (low < high) {
    const auto probe = [low, high](int index) { return low + (high - low) * (index + 1) / (PROBES + 1); };
    const long long mine = probe(lane);
    const bool from_a = lane < PROBES && a[mine] <= b[diagonal - 1 - mine];
    const int passed = __popc(__ballot_sync(0xffffffffu, from_a));
    const long long next_low = passed > 0 ? probe(passed - 1) + 1 : low;
    high = passed < PROBES ? probe(passed) : high;
    low = next_low;
  }
  return low;
}

// The next COARSENING keys of two runs [a, a_end) and [b, b_end) of `tile`, which must have as many. The heads of both
// runs stay in registers, so that each key costs one access; the one behind a's end may be read, too, but none behind
// b's, where other warps may be writing.
__device__ inline void merge_items(Key (&keys)[COARSENING], const Key* tile, int a, int a_end, int b, int b_end) {
  const int last = b_end - 1;
  Key a_key = tile[min(a, last)];
  Key b_key = tile[min(b, last)];
#pragma unroll
  for (int i = 0; i < COARSENING; ++i) {
    const bool from_a = b >= b_end || (a < a_end && a_key <= b_key);
    keys[i] = from_a ? a_key : b_key;
    const Key next = tile[min(from_a ? ++a : ++b, last)];
    a_key = from_a ? next : a_key;
    b_key = from_a ? b_key : next;
  }
}

__device__ inline void read_own(Key (&keys)[COARSENING], const Key* tile) {
#pragma unroll
  for (int i = 0; i < COARSENING; ++i) keys[i] = tile[static_cast<int>(threadIdx.x) * COARSENING + i];
}

__device__ inline void write_own(const Key (&keys)[COARSENING], Key* tile) {
#pragma unroll
  for (int i = 0; i < COARSENING; ++i) tile[static_cast<int>(threadIdx.x) * COARSENING + i] = keys[i];
}

// As long as runs belong to one warp, nobody else need be waited for.
__device__ inline void wait_for(int threads) {
  if (threads <= warp) {
    __syncwarp();
  } else {
    __syncthreads();
  }
}

// The tile, which all threads see, becomes one run. What they write last waits for a barrier of the caller's.
__device__ inline void sort_tile(Key* tile) {
  Key keys[COARSENING];
  read_own(keys, tile);
  sort_own(keys);
  write_own(keys, tile);
#pragma unroll 1
  for (int threads = 2; threads <= BLOCK_SIZE; threads *= 2) {  // that merge two runs with each other
    wait_for(threads);
    const int thread = static_cast<int>(threadIdx.x);
    const int begin = thread / threads * threads * COARSENING;
    const int run = threads / 2 * COARSENING;
    const int diagonal = thread % threads * COARSENING;
    const int from_a = path_for_thread(tile + begin, run, tile + begin + run, run, diagonal);
    merge_items(keys, tile, begin + from_a, begin + run, begin + run + diagonal - from_a, begin + 2 * run);
    wait_for(threads);
    write_own(keys, tile);
  }
}
