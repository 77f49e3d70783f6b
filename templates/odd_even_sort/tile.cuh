// Several phases of odd-even transposition on a tile of keys without a word from outside. What a tile does not see
// spoils one key more from each end in each phase; a halo of as many keys as phases takes that.
#pragma once

using Key = int;
constexpr Key smallest = -0x7fffffff - 1;
constexpr Key largest = 0x7fffffff;

enum class Local { shared, registers, warps };
constexpr Local local = Local::LOCAL;

constexpr int warp = 32;
constexpr int team = local == Local::warps ? warp : BLOCK;  // threads that share a tile
constexpr int teams = BLOCK / team;
constexpr int tile_size = team * ITEMS;

__device__ inline void put_in_order(Key& lower, Key& upper) {
  const Key smaller = min(lower, upper);
  upper = max(lower, upper);
  lower = smaller;
}

__device__ inline void wait_for_team() {
  if constexpr (local == Local::warps) {
    __syncwarp();
  } else {
    __syncthreads();
  }
}

// All keys in shared memory, a barrier behind each phase.
__device__ inline void sort_in_shared(Key* tile) {
#pragma unroll 1
  for (int phase = 0; phase < PHASES; ++phase) {
#pragma unroll
    for (int pair = 0; pair < ITEMS / 2; ++pair) {
      const int lower = 2 * (static_cast<int>(threadIdx.x) + pair * BLOCK) + phase % 2;
      if (lower + 1 < tile_size) put_in_order(tile[lower], tile[lower + 1]);
    }
    __syncthreads();
  }
}

// The last key of the thread on the left and the first of that on the right.
struct Neighbours {
  Key left;
  Key right;
};

// Lanes shuffle; warps leave their first and last keys in `edges`, which two phases use in turns, so that one barrier
// is enough. Beyond the tile's ends nothing is compared.
__device__ inline Neighbours neighbours_of(const Key (&keys)[ITEMS], int phase) {
  constexpr int warps = team / warp;
  __shared__ Key edges[2][2][warps];
  const int lane = static_cast<int>(threadIdx.x) % warp;
  const int my_warp = static_cast<int>(threadIdx.x) % team / warp;
  Neighbours near{__shfl_up_sync(0xffffffffu, keys[ITEMS - 1], 1), __shfl_down_sync(0xffffffffu, keys[0], 1)};
  if constexpr (warps > 1) {
    Key(&mine)[2][warps] = edges[phase / 2 % 2];
    if (lane == 0) mine[0][my_warp] = keys[0];
    if (lane == warp - 1) mine[1][my_warp] = keys[ITEMS - 1];
    __syncthreads();
    if (lane == 0 && my_warp > 0) near.left = mine[1][my_warp - 1];
    if (lane == warp - 1 && my_warp + 1 < warps) near.right = mine[0][my_warp + 1];
  }
  if (lane == 0 && my_warp == 0) near.left = smallest;
  if (lane == warp - 1 && my_warp == warps - 1) near.right = largest;
  return near;
}

// Each thread holds ITEMS neighbours, an even number: in even phases they keep to themselves, in odd ones the first and
// the last are compared with those of other threads, each side keeping its half of the pair.
__device__ inline void sort_in_registers(Key (&keys)[ITEMS]) {
#pragma unroll 1
  for (int phase = 0; phase < PHASES; phase += 2) {
#pragma unroll
    for (int i = 0; i < ITEMS; i += 2) put_in_order(keys[i], keys[i + 1]);
    const Neighbours near = neighbours_of(keys, phase);
#pragma unroll
    for (int i = 1; i + 1 < ITEMS; i += 2) put_in_order(keys[i], keys[i + 1]);
    keys[0] = max(keys[0], near.left);
    keys[ITEMS - 1] = min(keys[ITEMS - 1], near.right);
  }
}

// PHASES phases on the tile in shared memory.
__device__ inline void sort_tile(Key* tile) {
  if constexpr (local == Local::shared) {
    sort_in_shared(tile);
    return;
  }
  const int first = static_cast<int>(threadIdx.x) % team * ITEMS;
  Key keys[ITEMS];
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) keys[i] = tile[first + i];
  sort_in_registers(keys);
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) tile[first + i] = keys[i];
  wait_for_team();
}
