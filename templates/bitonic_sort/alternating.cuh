// The bitonic sort as Batcher described it and as courses teach it: runs are sorted in alternating directions, so that
// two neighbouring runs together rise and then fall: a bitonic sequence. Each level splits it into two halves, of which
// every key of one is at most as large as every key of the other. This needs a power of two keys, so the largest keys
// fill the buffers behind the last one.
//
// COARSENING 1: a thread for each key. Each comparison is made twice: the thread at the lower place keeps one key, the
// thread at the upper place the other. COARSENING 2: a thread for each comparison, which writes both keys.
#pragma once

#include "network.cuh"

enum class Algorithm { alternating, mirrored };
constexpr bool alternating = Algorithm::ALGORITHM == Algorithm::alternating;
constexpr bool thread_per_key = COARSENING == 1;
constexpr long long alternating_tile = BLOCK_SIZE * (thread_per_key ? 1 : 2);

// Is the run of `run` keys that place i lies in to rise?
__device__ inline bool rises(long long i, long long run) {
  return (i & run) == 0;
}

// What stays at place i, whose key is compared with that `distance` places away.
__device__ inline Key kept_at(long long i, Key mine, Key theirs, long long distance, long long run) {
  const bool lower = (i & distance) == 0;
  return lower == rises(i, run) ? min(mine, theirs) : max(mine, theirs);
}

// The lower place of the thread's comparison: thread numbers with a 0 put in where the distance has its bit.
__device__ inline long long lower_place(long long thread, long long distance) {
  return 2 * thread - (thread & (distance - 1));
}

// The levels from `top` places apart down to neighbours, in the block's tile, which begins at place `first`.
__device__ inline void merge_alternating(Key* tile, long long first, long long top, long long run) {
  const long long thread = threadIdx.x;
  for (long long distance = top; distance > 0; distance /= 2) {
    if constexpr (thread_per_key) {
      const Key kept = kept_at(first + thread, tile[thread], tile[thread ^ distance], distance, run);
      __syncthreads();
      tile[thread] = kept;
    } else {
      const long long i = lower_place(thread, distance);
      const Key mine = tile[i];
      const Key theirs = tile[i + distance];
      tile[i] = kept_at(first + i, mine, theirs, distance, run);
      tile[i + distance] = kept_at(first + i + distance, theirs, mine, distance, run);
    }
    __syncthreads();
  }
}

// One level in global memory, from one buffer to the other: no thread overwrites what another still reads.
__device__ inline void compare_far(const Key* from, Key* to, long long distance, long long run) {
  const long long thread = static_cast<long long>(blockIdx.x) * BLOCK_SIZE + threadIdx.x;
  const long long i = thread_per_key ? thread : lower_place(thread, distance);
  const Key mine = from[i];
  const Key theirs = from[i ^ distance];
  to[i] = kept_at(i, mine, theirs, distance, run);
  if constexpr (!thread_per_key) to[i + distance] = kept_at(i + distance, theirs, mine, distance, run);
}

// The first launch: each block sorts its tile in shared memory, and fills what lies behind the last key.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    sort_tiles_alternating(const Key* __restrict__ input, Key* __restrict__ output, long long size) {
  if constexpr (!alternating) return;  // spares the compiler the rest
  __shared__ Key tile[alternating_tile];
  const long long first = blockIdx.x * alternating_tile;
  for (long long i = threadIdx.x; i < alternating_tile; i += BLOCK_SIZE)
    tile[i] = first + i < size ? input[first + i] : largest;
  __syncthreads();
  for (long long run = 2; run <= alternating_tile; run *= 2) merge_alternating(tile, first, run / 2, run);
  for (long long i = threadIdx.x; i < alternating_tile; i += BLOCK_SIZE) output[first + i] = tile[i];
}

// The launches after it: for runs of two tiles, then four, and so on, a launch for each level that leaves the tiles,
// and one for all the levels within tiles. The buffers take turns.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE) merge_pass_alternating(Key* even, Key* odd, int pass) {
  if constexpr (!alternating) return;
  __shared__ Key tile[alternating_tile];
  const Key* from = pass % 2 == 0 ? even : odd;
  Key* to = pass % 2 == 0 ? odd : even;
  int levels = 1;  // of the stage that leave the tiles
  for (; pass > levels; ++levels) pass -= levels + 1;
  const long long run = alternating_tile << levels;
  if (pass < levels) {
    compare_far(from, to, run >> (pass + 1), run);
    return;
  }
  const long long first = blockIdx.x * alternating_tile;
  for (long long i = threadIdx.x; i < alternating_tile; i += BLOCK_SIZE) tile[i] = from[first + i];
  __syncthreads();
  merge_alternating(tile, first, alternating_tile / 2, run);
  for (long long i = threadIdx.x; i < alternating_tile; i += BLOCK_SIZE) to[first + i] = tile[i];
}

// The last launch: the keys without what was filled in behind them.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    take_keys(const Key* __restrict__ sorted, Key* __restrict__ output, long long size) {
  const long long i = static_cast<long long>(blockIdx.x) * BLOCK_SIZE + threadIdx.x;
  if (i < size) output[i] = sorted[i];
}
