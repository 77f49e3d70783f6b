// Several phases of odd-even transposition on a tile of keys without anything from outside. What a tile does not see
// spoils one key more from each end in each phase; a halo of as many keys as phases takes that.
#pragma once

#include <warptune/device/compare_exchange.cuh>

using warptune::device::put_in_order;
using Key = int;
constexpr Key smallest = -0x7fffffff - 1;
constexpr Key largest = 0x7fffffff;

enum class TileAlgorithm { shared, registers, warps };
constexpr TileAlgorithm tile_algorithm = TileAlgorithm::TILE_ALGORITHM;

constexpr int warp = 32;
constexpr int team = tile_algorithm == TileAlgorithm::warps ? warp : BLOCK_SIZE;  // threads that share a tile
constexpr int teams = BLOCK_SIZE / team;
constexpr int tile_size = team * COARSENING;

__device__ inline void wait_for_team() {
  if constexpr (tile_algorithm == TileAlgorithm::warps) {
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
    for (int pair = 0; pair < COARSENING / 2; ++pair) {
      const int lower = 2 * (static_cast<int>(threadIdx.x) + pair * BLOCK_SIZE) + phase % 2;
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

// Threads of a warp shuffle; warps leave their first and last keys in `edges`, which two phases use in turns, so that
// one barrier is enough. Beyond the tile's ends nothing is compared.
__device__ inline Neighbours neighbours_of(const Key (&keys)[COARSENING], int phase) {
  constexpr int warps = team / warp;
  __shared__ Key edges[2][2][warps];
  const int lane = static_cast<int>(threadIdx.x) % warp;
  const int my_warp = static_cast<int>(threadIdx.x) % team / warp;
  Neighbours near{__shfl_up_sync(0xffffffffu, keys[COARSENING - 1], 1), __shfl_down_sync(0xffffffffu, keys[0], 1)};
  if constexpr (warps > 1) {
    Key(&mine)[2][warps] = edges[phase / 2 % 2];
    if (lane == 0) mine[0][my_warp] = keys[0];
    if (lane == warp - 1) mine[1][my_warp] = keys[COARSENING - 1];
    __syncthreads();
    if (lane == 0 && my_warp > 0) near.left = mine[1][my_warp - 1];
    if (lane == warp - 1 && my_warp + 1 < warps) near.right = mine[0][my_warp + 1];
  }
  if (lane == 0 && my_warp == 0) near.left = smallest;
  if (lane == warp - 1 && my_warp == warps - 1) near.right = largest;
  return near;
}

// Each thread holds COARSENING neighbours, an even number: in even phases they keep to themselves, in odd ones the
// first and the last are compared with those of other threads, each side keeping its half of the pair.
__device__ inline void sort_in_registers(Key (&keys)[COARSENING]) {
#pragma unroll 1
  for (int phase = 0; phase < PHASES; phase += 2) {
#pragma unroll
    for (int i = 0; i < COARSENING; i += 2) put_in_order(keys[i], keys[i + 1]);
    const Neighbours near = neighbours_of(keys, phase);
#pragma unroll
    for (int i = 1; i + 1 < COARSENING; i += 2) put_in_order(keys[i], keys[i + 1]);
    keys[0] = max(keys[0], near.left);
    keys[COARSENING - 1] = min(keys[COARSENING - 1], near.right);
  }
}

// PHASES phases on the tile in shared memory.
__device__ inline void sort_tile(Key* tile) {
  if constexpr (tile_algorithm == TileAlgorithm::shared) {
    sort_in_shared(tile);
    return;
  }
  const int first = static_cast<int>(threadIdx.x) % team * COARSENING;
  Key keys[COARSENING];
#pragma unroll
  for (int i = 0; i < COARSENING; ++i) keys[i] = tile[first + i];
  sort_in_registers(keys);
#pragma unroll
  for (int i = 0; i < COARSENING; ++i) tile[first + i] = keys[i];
  wait_for_team();
}
