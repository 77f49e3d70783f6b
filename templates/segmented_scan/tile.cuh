// A tile's values and heads on their way to the threads, COARSENING neighbours each, and the sums on their way back.
#pragma once

#include <warptune/device/vectors.cuh>

#include "segment.cuh"

using warptune::device::WordOf;

enum class Exchange { direct, warp };

constexpr Exchange exchange = Exchange::EXCHANGE;
constexpr int tile_size = BLOCK_SIZE * COARSENING;
constexpr int vectors = COARSENING / VECTOR_WIDTH;
constexpr int row = 32 / VECTOR_WIDTH;  // vectors that fill all banks of shared memory once

using Pack = warptune::device::Pack<Value, VECTOR_WIDTH>;

// A warp's part of shared memory, in vectors; with padding each row has an empty vector behind it, so that lanes which
// read a power of two of vectors apart meet different banks.
__device__ constexpr int place(int vector) {
  return vector + PADDING * (vector / row);
}
constexpr int warp_places = warp * vectors + PADDING * (warp * vectors / row);

// Where this thread's i-th memory instruction goes to, in values from the tile's beginning.
__device__ inline int reached(int i) {
  const int thread = static_cast<int>(threadIdx.x);
  if constexpr (exchange == Exchange::direct) return thread * COARSENING + i * VECTOR_WIDTH;
  return thread / warp * warp * COARSENING + (i * warp + thread % warp) * VECTOR_WIDTH;
}

// What lies behind `count` is zero.
__device__ inline Pack load(const Value* tile, int first, int count) {
  Pack pack;
  if (first + VECTOR_WIDTH <= count) {
    using Word = WordOf<4 * VECTOR_WIDTH>::type;
    const Word word = *reinterpret_cast<const Word*>(tile + first);
    return reinterpret_cast<const Pack&>(word);
  }
#pragma unroll
  for (int j = 0; j < VECTOR_WIDTH; ++j) pack.at[j] = first + j < count ? tile[first + j] : 0;
  return pack;
}

__device__ inline void store(Value* tile, int first, int count, const Pack& pack) {
  if (first + VECTOR_WIDTH <= count) {
    using Word = WordOf<4 * VECTOR_WIDTH>::type;
    *reinterpret_cast<Word*>(tile + first) = reinterpret_cast<const Word&>(pack);
    return;
  }
#pragma unroll
  for (int j = 0; j < VECTOR_WIDTH; ++j)
    if (first + j < count) tile[first + j] = pack.at[j];
}

__device__ inline Pack* storage_of_warp(Pack* storage) {
  return storage + static_cast<int>(threadIdx.x) / warp * warp_places;
}

__device__ inline void load_items(Value (&items)[COARSENING], const Value* tile, int count, Pack* storage) {
  const int lane = static_cast<int>(threadIdx.x) % warp;
  Pack packs[vectors];
#pragma unroll
  for (int i = 0; i < vectors; ++i) packs[i] = load(tile, reached(i), count);
  if constexpr (exchange == Exchange::warp) {
    Pack* mine = storage_of_warp(storage);
    __syncwarp();  // what was there before has been read
#pragma unroll
    for (int i = 0; i < vectors; ++i) mine[place(i * warp + lane)] = packs[i];
    __syncwarp();
#pragma unroll
    for (int i = 0; i < vectors; ++i) packs[i] = mine[place(lane * vectors + i)];
  }
#pragma unroll
  for (int i = 0; i < COARSENING; ++i) items[i] = packs[i / VECTOR_WIDTH].at[i % VECTOR_WIDTH];
}

__device__ inline void store_items(const Value (&items)[COARSENING], Value* tile, int count, Pack* storage) {
  const int lane = static_cast<int>(threadIdx.x) % warp;
  Pack packs[vectors];
#pragma unroll
  for (int i = 0; i < COARSENING; ++i) packs[i / VECTOR_WIDTH].at[i % VECTOR_WIDTH] = items[i];
  if constexpr (exchange == Exchange::warp) {
    Pack* mine = storage_of_warp(storage);
    __syncwarp();
#pragma unroll
    for (int i = 0; i < vectors; ++i) mine[place(lane * vectors + i)] = packs[i];
    __syncwarp();
#pragma unroll
    for (int i = 0; i < vectors; ++i) packs[i] = mine[place(i * warp + lane)];
  }
#pragma unroll
  for (int i = 0; i < vectors; ++i) store(tile, reached(i), count, packs[i]);
}

// Bit i: the thread's i-th element is a head. A byte per element is little enough for each thread to read its own:
// COARSENING neighbours, in words as wide as COARSENING allows, which a warp's lanes read without gaps.
__device__ inline unsigned heads_from_flags(const unsigned char* tile, int count) {
  constexpr int bytes = COARSENING % 16 == 0 ? 16 : COARSENING % 8 == 0 ? 8 : 4;
  using Word = WordOf<bytes>::type;
  const int first = static_cast<int>(threadIdx.x) * COARSENING;
  unsigned heads = 0;
#pragma unroll
  for (int i = 0; i < COARSENING; i += bytes) {
    unsigned words[bytes / 4] = {};
    if (first + i + bytes <= count) {
      const Word word = *reinterpret_cast<const Word*>(tile + first + i);
#pragma unroll
      for (int j = 0; j < bytes / 4; ++j) words[j] = reinterpret_cast<const unsigned*>(&word)[j];
    } else {
      for (int j = 0; first + i + j < count; ++j)
        words[j / 4] |= static_cast<unsigned>(tile[first + i + j]) << j % 4 * 8;
    }
#pragma unroll
    for (int j = 0; j < bytes; ++j) heads |= (words[j / 4] >> j % 4 * 8 & 0xff) != 0 ? 1u << (i + j) : 0;
  }
  return heads;
}

// The first of starts[first ... last - 1] that is not before `position`.
__device__ inline long long lower_bound(const unsigned* starts, long long first, long long last, long long position) {
  while (first < last) {
    const long long middle = first + (last - first) / 2;
    if (starts[middle] < position) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  return first;
}

// A warp's threads look for the warp's first head together, which the caches serve at once. No two segments start at
// one position: so the thread's own first head cannot be farther from it than elements lie between.
__device__ inline unsigned heads_from_starts(const unsigned* starts, long long start_count, long long tile_begin) {
  const int thread = static_cast<int>(threadIdx.x);
  const long long of_warp = tile_begin + thread / warp * warp * COARSENING;
  const long long first = lower_bound(starts, 0, start_count, of_warp);
  const int offset = thread % warp * COARSENING;
  const long long begin = of_warp + offset;
  const long long last = first + offset < start_count ? first + offset : start_count;
  unsigned heads = 0;
  for (long long i = lower_bound(starts, first, last, begin); i < start_count && starts[i] < begin + COARSENING; ++i)
    heads |= 1u << (starts[i] - begin);
  return heads;
}

// An element whose identifier is not its left neighbour's is a head. The first element has no neighbour on
// the left, and nothing to receive from there.
__device__ inline unsigned heads_from_ids(const int* ids, long long tile_begin, int count, Pack* storage) {
  int mine[COARSENING];
  load_items(mine, ids + tile_begin, count, storage);
  const int first = static_cast<int>(threadIdx.x) * COARSENING;
  int left = __shfl_up_sync(full_warp, mine[COARSENING - 1], 1);
  if (threadIdx.x % warp == 0) left = tile_begin + first > 0 && first < count ? ids[tile_begin + first - 1] : mine[0];
  unsigned heads = 0;
#pragma unroll
  for (int i = 0; i < COARSENING; ++i) heads |= mine[i] != (i == 0 ? left : mine[i - 1]) ? 1u << i : 0;
  return heads;
}
