// All levels that stay within a tile: in shared memory, one or several levels between two barriers, or in the registers
// of a warp.
#pragma once

#include "network.cuh"

enum class TileAlgorithm { pairs, groups, shuffles };
constexpr TileAlgorithm tile_algorithm = TileAlgorithm::TILE_ALGORITHM;

__device__ constexpr int log2_of(int value) {
  return value == 1 ? 0 : 1 + log2_of(value / 2);
}
constexpr int warp = 32;
constexpr int tile_size = BLOCK_SIZE * COARSENING;
constexpr int tile_levels = log2_of(tile_size);
constexpr int thread_levels = log2_of(COARSENING);       // among a thread's neighbours
constexpr int warp_levels = log2_of(warp * COARSENING);  // among a warp's
constexpr int levels_at_once = tile_algorithm == TileAlgorithm::pairs ? 1 : thread_levels;
constexpr int unrolled_stages = FULLY_UNROLLED ? 32 : 1;

// With padding there are empty words behind each 32: keys a power of two apart lie in different banks.
__device__ constexpr int word(int key) {
  return key + key / 32 * PADDING;
}

template <int Levels>
__device__ inline void merge_groups(Key* tile, int top, bool mirror) {
#pragma unroll
  for (int i = 0; i < COARSENING >> Levels; ++i) {
    const Group<int> group(static_cast<int>(threadIdx.x) + i * BLOCK_SIZE, top + 1 - Levels, Levels, mirror);
    Key keys[1 << Levels][1];
#pragma unroll
    for (int h = 0; h < 1 << Levels; ++h) keys[h][0] = tile[word(group.place<Levels, 1>(h))];
    merge_group<Levels, 1>(keys, mirror);
#pragma unroll
    for (int h = 0; h < 1 << Levels; ++h) tile[word(group.place<Levels, 1>(h))] = keys[h][0];
  }
  __syncthreads();
}

template <int Most>
__device__ inline int merge_at_most(Key* tile, int top, int levels, bool mirror) {
  if constexpr (Most > 1) {
    if (levels < Most) return merge_at_most<Most - 1>(tile, top, levels, mirror);
  }
  merge_groups<Most>(tile, top, mirror);
  return Most;
}

// `levels` levels from `top` down in shared memory; ends with a barrier.
__device__ inline void merge_in_shared(Key* tile, int top, int levels, bool mirror) {
#pragma unroll unrolled_stages
  while (levels > 0) {
    const int done = merge_at_most<levels_at_once>(tile, top, levels, mirror);
    top -= done;
    levels -= done;
    mirror = false;
  }
}

__device__ inline void read_own(Key (&keys)[COARSENING], const Key* tile) {
#pragma unroll
  for (int i = 0; i < COARSENING; ++i) keys[i] = tile[word(static_cast<int>(threadIdx.x) * COARSENING + i)];
}

__device__ inline void write_own(const Key (&keys)[COARSENING], Key* tile) {
#pragma unroll
  for (int i = 0; i < COARSENING; ++i) tile[word(static_cast<int>(threadIdx.x) * COARSENING + i)] = keys[i];
  __syncthreads();
}

// One level between threads of a warp. A mirror turns the thread's own keys round, too.
__device__ inline void merge_by_shuffles(Key (&keys)[COARSENING], int level, bool mirror) {
  const int distance = 1 << (level - thread_levels);
  const bool lower = (threadIdx.x & distance) == 0;
  Key theirs[COARSENING];
#pragma unroll
  for (int i = 0; i < COARSENING; ++i)
    theirs[i] =
        __shfl_xor_sync(0xffffffffu, mirror ? keys[COARSENING - 1 - i] : keys[i], mirror ? 2 * distance - 1 : distance);
#pragma unroll
  for (int i = 0; i < COARSENING; ++i) keys[i] = lower ? min(keys[i], theirs[i]) : max(keys[i], theirs[i]);
}

// All levels from `top`, which is one between threads of a warp, down.
__device__ inline void merge_in_warp(Key (&keys)[COARSENING], int top, bool mirror) {
#pragma unroll unrolled_stages
  for (int level = top; level >= thread_levels; --level) merge_by_shuffles(keys, level, mirror && level == top);
  merge_group<thread_levels, 1>(reinterpret_cast<Key(&)[COARSENING][1]>(keys), false);
}

template <int Stage = 1>
__device__ inline void sort_own(Key (&keys)[COARSENING]) {
  constexpr int run = 1 << Stage;
#pragma unroll
  for (int first = 0; first < COARSENING; first += run)
    merge_group<Stage, 1>(reinterpret_cast<Key(&)[run][1]>(keys[first]), true);
  if constexpr (Stage < thread_levels) sort_own<Stage + 1>(keys);
}

// The tile's levels from `top` down to the last; begins and ends with the keys in shared memory.
__device__ inline void merge_tile(Key* tile, int top, bool mirror) {
  if constexpr (tile_algorithm != TileAlgorithm::shuffles) {
    merge_in_shared(tile, top, top + 1, mirror);
    return;
  }
  merge_in_shared(tile, top, top + 1 - warp_levels, mirror);
  Key keys[COARSENING];
  read_own(keys, tile);
  merge_in_warp(keys, warp_levels - 1, false);
  write_own(keys, tile);
}

// The first stages, as far as a thread or a warp gets in registers. Returns how many.
__device__ inline int sort_in_registers(Key* tile) {
  if constexpr (tile_algorithm == TileAlgorithm::pairs) return 0;
  Key keys[COARSENING];
  read_own(keys, tile);
  sort_own(keys);
  if constexpr (tile_algorithm == TileAlgorithm::shuffles) {
#pragma unroll unrolled_stages
    for (int stage = thread_levels + 1; stage <= warp_levels; ++stage) merge_in_warp(keys, stage - 1, true);
  }
  write_own(keys, tile);
  return tile_algorithm == TileAlgorithm::shuffles ? warp_levels : thread_levels;
}

__device__ inline void sort_tile(Key* tile) {
  const int sorted = sort_in_registers(tile);
#pragma unroll unrolled_stages
  for (int stage = sorted + 1; stage <= tile_levels; ++stage) merge_tile(tile, stage - 1, true);
}

// Between global and shared memory, neighbours together.
__device__ inline void load_tile(Key* tile, const Key* keys, int count) {
#pragma unroll
  for (int i = 0; i < COARSENING; ++i) {
    const int key = static_cast<int>(threadIdx.x) + i * BLOCK_SIZE;
    tile[word(key)] = key < count ? keys[key] : largest;
  }
  __syncthreads();
}

__device__ inline void store_tile(const Key* tile, Key* keys, int count) {
#pragma unroll
  for (int i = 0; i < COARSENING; ++i) {
    const int key = static_cast<int>(threadIdx.x) + i * BLOCK_SIZE;
    if (key < count) keys[key] = tile[word(key)];
  }
}
