// A tile's values and heads on their way to the threads, ITEMS neighbours each, and the sums on their way back.
#pragma once

#include "segment.cuh"

enum class Exchange { direct, warp };

constexpr Exchange exchange = Exchange::EXCHANGE;
constexpr int tile_size = BLOCK * ITEMS;
constexpr int vectors = ITEMS / VECTOR;
constexpr int row = 32 / VECTOR;  // vectors that fill all banks of shared memory once

template <int Bytes>
struct WordOf;
template <>
struct WordOf<4> {
  using type = unsigned;
};
template <>
struct WordOf<8> {
  using type = uint2;
};
template <>
struct WordOf<16> {
  using type = uint4;
};

struct alignas(4 * VECTOR) Pack {
  Value at[VECTOR];
};

// A warp's part of shared memory, in vectors; with padding each row has an empty vector behind it, so that lanes which
// read a power of two of vectors apart meet different banks.
__device__ constexpr int place(int vector) {
  return PADDED ? vector + vector / row : vector;
}
constexpr int warp_places = PADDED ? warp * vectors + warp * vectors / row : warp * vectors;

// Where this thread's i-th memory instruction goes to, in values from the tile's beginning.
__device__ inline int reached(int i) {
  const int thread = static_cast<int>(threadIdx.x);
  if constexpr (exchange == Exchange::direct) return thread * ITEMS + i * VECTOR;
  return thread / warp * warp * ITEMS + (i * warp + thread % warp) * VECTOR;
}

// What lies behind `count` is zero.
__device__ inline Pack load(const Value* tile, int first, int count) {
  Pack pack;
  if (first + VECTOR <= count) {
    using Word = WordOf<4 * VECTOR>::type;
    const Word word = *reinterpret_cast<const Word*>(tile + first);
    return reinterpret_cast<const Pack&>(word);
  }
#pragma unroll
  for (int j = 0; j < VECTOR; ++j) pack.at[j] = first + j < count ? tile[first + j] : 0;
  return pack;
}

__device__ inline void store(Value* tile, int first, int count, const Pack& pack) {
  if (first + VECTOR <= count) {
    using Word = WordOf<4 * VECTOR>::type;
    *reinterpret_cast<Word*>(tile + first) = reinterpret_cast<const Word&>(pack);
    return;
  }
#pragma unroll
  for (int j = 0; j < VECTOR; ++j)
    if (first + j < count) tile[first + j] = pack.at[j];
}

__device__ inline Pack* storage_of_warp(Pack* storage) {
  return storage + static_cast<int>(threadIdx.x) / warp * warp_places;
}

__device__ inline void load_items(Value (&items)[ITEMS], const Value* tile, int count, Pack* storage) {
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
  for (int i = 0; i < ITEMS; ++i) items[i] = packs[i / VECTOR].at[i % VECTOR];
}

__device__ inline void store_items(const Value (&items)[ITEMS], Value* tile, int count, Pack* storage) {
  const int lane = static_cast<int>(threadIdx.x) % warp;
  Pack packs[vectors];
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) packs[i / VECTOR].at[i % VECTOR] = items[i];
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

// Bit i: the thread's i-th element is a head. A byte an element is little enough for each thread to read its own: ITEMS
// neighbours, in words as wide as ITEMS allows, which a warp's lanes read without gaps.
__device__ inline unsigned heads_from_flags(const unsigned char* tile, int count) {
  constexpr int bytes = ITEMS % 16 == 0 ? 16 : ITEMS % 8 == 0 ? 8 : 4;
  using Word = WordOf<bytes>::type;
  const int first = static_cast<int>(threadIdx.x) * ITEMS;
  unsigned heads = 0;
#pragma unroll
  for (int i = 0; i < ITEMS; i += bytes) {
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

// An element whose identifier is not its left neighbour's is a head. Who has no neighbour on the left gets nothing from
// there anyhow.
__device__ inline unsigned heads_from_ids(const int* ids, long long tile_begin, int count, Pack* storage) {
  int mine[ITEMS];
  load_items(mine, ids + tile_begin, count, storage);
  const int first = static_cast<int>(threadIdx.x) * ITEMS;
  int left = __shfl_up_sync(full_warp, mine[ITEMS - 1], 1);
  if (threadIdx.x % warp == 0) left = tile_begin + first > 0 && first < count ? ids[tile_begin + first - 1] : mine[0];
  unsigned heads = 0;
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) heads |= mine[i] != (i == 0 ? left : mine[i - 1]) ? 1u << i : 0;
  return heads;
}
