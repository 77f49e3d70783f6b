// Integers in ascending order by a bitonic sorting network: the same comparisons whatever the keys are. This file has
// its mirrored form for speed (network.cuh); alternating.cuh has the form that is taught first.
// A tile is sorted in one launch; from there on each stage compares keys far apart in global memory, a few levels per
// launch, and ends with a launch for all the levels that stay within a tile.
//
//   ALGORITHM          mirrored: all runs ascend, and any number of keys fits. alternating: runs ascend and descend by
//                      turns, which takes a power of two of keys; of the parameters below it has the first two
//   BLOCK_SIZE         threads per block
//   COARSENING         keys that a thread has in a tile of BLOCK_SIZE * COARSENING. alternating: 1: a thread per key, 2: a
//                      thread per comparison
//   LEVELS             levels that a launch does in global memory: a thread holds 2^LEVELS keys that these mix only
//                      among themselves, so that memory is passed through once for all of them
//   VECTOR_WIDTH       neighbouring keys that a thread moves by one instruction, each with 2^LEVELS to be mixed
//   TILE_ALGORITHM     levels within a tile: pairs: one between two barriers; groups: log2(COARSENING) between two
//                      barriers, in registers; shuffles: as groups, but the threads of a warp exchange keys by shuffles,
//                      without any barrier
//   PADDING            empty words behind each 32 of shared memory, against bank conflicts
//   FULLY_UNROLLED     are stages and levels unrolled: addresses become constants, and the program long
//   MIN_BLOCKS_PER_SM  blocks that a multiprocessor must hold at once: bounds the registers of a thread
//
// Sources: Batcher, "Sorting Networks and Their Applications" (1968); Knuth, "The Art of Computer Programming" 3,
// 5.3.4, for the mirrored form; Peters, Schulz-Hildebrandt & Luttenberger, "Fast In-Place, Comparison-Based Sorting
// with CUDA" (2011) for several levels in registers; NVIDIA's sortingNetworks sample for the two kinds of launches.

#include "alternating.cuh"
#include "tile.cuh"

struct alignas(4 * VECTOR_WIDTH) Pack {
  Key at[VECTOR_WIDTH];
};

template <int Width>
struct WordOf;
template <>
struct WordOf<1> {
  using type = int;
};
template <>
struct WordOf<2> {
  using type = int2;
};
template <>
struct WordOf<4> {
  using type = int4;
};
using Word = WordOf<VECTOR_WIDTH>::type;

// VECTOR_WIDTH neighbours from `place` on; a mirror image is read from its end. Not `Whole`: some may lie behind the
// last key.
template <bool Whole>
__device__ inline void load(Key (&to)[VECTOR_WIDTH], const Key* keys, long long place, long long size, bool reversed) {
  Pack pack;
  if constexpr (Whole) {
    const Word word = *reinterpret_cast<const Word*>(keys + place);
    pack = reinterpret_cast<const Pack&>(word);
  } else {
#pragma unroll
    for (int i = 0; i < VECTOR_WIDTH; ++i) pack.at[i] = place + i < size ? keys[place + i] : largest;
  }
#pragma unroll
  for (int i = 0; i < VECTOR_WIDTH; ++i) to[i] = pack.at[reversed ? VECTOR_WIDTH - 1 - i : i];
}

template <bool Whole>
__device__ inline void store(const Key (&from)[VECTOR_WIDTH], Key* keys, long long place, long long size,
                             bool reversed) {
  Pack pack;
#pragma unroll
  for (int i = 0; i < VECTOR_WIDTH; ++i) pack.at[i] = from[reversed ? VECTOR_WIDTH - 1 - i : i];
  if constexpr (Whole) {
    *reinterpret_cast<Word*>(keys + place) = reinterpret_cast<const Word&>(pack);
    return;
  }
#pragma unroll
  for (int i = 0; i < VECTOR_WIDTH; ++i)
    if (place + i < size) keys[place + i] = pack.at[i];
}

template <int Count, bool Whole>
__device__ inline void merge_one_group(Key* keys, long long size, const Group<long long>& group) {
  Key mixed[1 << Count][VECTOR_WIDTH];
#pragma unroll
  for (int h = 0; h < 1 << Count; ++h)
    load<Whole>(mixed[h], keys, group.place<Count, VECTOR_WIDTH>(h), size, group.mirror && h >= (1 << Count) / 2);
  merge_group<Count, VECTOR_WIDTH>(mixed, group.mirror);
#pragma unroll
  for (int h = 0; h < 1 << Count; ++h)
    store<Whole>(mixed[h], keys, group.place<Count, VECTOR_WIDTH>(h), size, group.mirror && h >= (1 << Count) / 2);
}

// `Count` levels of all keys from `top` down, in global memory.
template <int Count>
__device__ inline void merge_globally(Key* keys, long long size, int top, bool mirror) {
  const int low = top + 1 - Count;
  const long long groups = (((size - 1) >> (top + 1)) + 1) << low;
  const long long step = static_cast<long long>(gridDim.x) * BLOCK_SIZE * VECTOR_WIDTH;
  const long long begin = (static_cast<long long>(blockIdx.x) * BLOCK_SIZE + threadIdx.x) * VECTOR_WIDTH;
  for (long long number = begin; number < groups; number += step) {
    const Group<long long> group(number, low, Count, mirror);
    if (group.place<Count, VECTOR_WIDTH>((1 << Count) - 1) + VECTOR_WIDTH <= size) {
      merge_one_group<Count, true>(keys, size, group);
    } else if (group.place<Count, VECTOR_WIDTH>(0) < size) {
      merge_one_group<Count, false>(keys, size, group);
    }
  }
}

template <int Most>
__device__ inline void merge_at_most(Key* keys, long long size, int top, int levels, bool mirror) {
  if constexpr (Most > 1) {
    if (levels < Most) return merge_at_most<Most - 1>(keys, size, top, levels, mirror);
  }
  merge_globally<Most>(keys, size, top, mirror);
}

__device__ inline int count_in_tile(long long size) {
  const long long rest = size - static_cast<long long>(blockIdx.x) * tile_size;
  return rest < tile_size ? static_cast<int>(rest) : tile_size;
}

// What the pass-th launch after the tiles' does: stage after stage, each some launches of LEVELS levels in global
// memory (the last of fewer), and then one within tiles.
struct Pass {
  int top;     // its first level
  int levels;  // in global memory; 0: all that are left, within tiles
  bool mirror;

  __device__ explicit Pass(int pass) {
    int outside = 1;  // levels of the stage that leave a tile
    int launches = 1;
    for (; pass > launches; launches = (outside + LEVELS - 1) / LEVELS) {
      pass -= launches + 1;
      ++outside;
    }
    top = tile_levels + outside - 1 - pass * LEVELS;
    levels = pass < launches ? min(LEVELS, outside - pass * LEVELS) : 0;
    mirror = pass == 0;
  }
};

// Dynamic shared memory of both kernels: a tile.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE, MIN_BLOCKS_PER_SM)
    sort_tiles(const Key* __restrict__ input, Key* __restrict__ output, long long size) {
  extern __shared__ Key tile[];
  const long long first = static_cast<long long>(blockIdx.x) * tile_size;
  const int count = count_in_tile(size);
  load_tile(tile, input + first, count);
  sort_tile(tile);
  store_tile(tile, output + first, count);
}

// keys: `size` of them, aligned to 16 bytes, whose tiles are sorted.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE, MIN_BLOCKS_PER_SM)
    merge_pass(Key* keys, long long size, int pass_number) {
  extern __shared__ Key tile[];
  const Pass pass(pass_number);
  if (pass.levels > 0) {
    merge_at_most<LEVELS>(keys, size, pass.top, pass.levels, pass.mirror);
    return;
  }
  const long long first = static_cast<long long>(blockIdx.x) * tile_size;
  const int count = count_in_tile(size);
  load_tile(tile, keys + first, count);
  merge_tile(tile, tile_levels - 1, false);
  store_tile(tile, keys + first, count);
}
