// Between global memory and a thread's ITEMS consecutive values. Read directly, a warp's accesses lie ITEMS values
// apart; read as neighbours, the values have to change hands through shared memory.
#pragma once

#include "block_scan.cuh"

enum class Exchange { direct, warp, block };
enum class Access { plain, streaming };

constexpr Exchange exchange = Exchange::EXCHANGE;
constexpr Access access_kind = Access::ACCESS;
constexpr int tile_size = BLOCK * ITEMS;
constexpr int vectors = ITEMS / VECTOR;
constexpr int lanes = exchange == Exchange::block ? BLOCK : warp;  // who exchange values with each other

struct alignas(4 * VECTOR) Pack {
  Value at[VECTOR];
};

template <int Width>
struct VectorOf;
template <>
struct VectorOf<1> {
  using type = int;
};
template <>
struct VectorOf<4> {
  using type = int4;
};
using Vector = VectorOf<VECTOR>::type;

// Where shared memory keeps a vector: with padding, an empty one behind each 32 words, so that vectors a power of two
// apart lie in different banks.
__device__ constexpr int place(int vector) {
  return PADDED ? vector + vector / (32 / VECTOR) : vector;
}
constexpr int segment_places = lanes * vectors + (PADDED ? lanes * vectors / (32 / VECTOR) : 0);

// Not `Whole`: only the tile's first `count` values exist; the others count as zero.
template <bool Whole>
__device__ inline Pack load(const Value* tile, int first, int count) {
  if constexpr (Whole) {
    const Vector* source = reinterpret_cast<const Vector*>(tile + first);
    const Vector value = access_kind == Access::streaming ? __ldcs(source) : *source;
    return reinterpret_cast<const Pack&>(value);
  }
  Pack pack;
#pragma unroll
  for (int i = 0; i < VECTOR; ++i) pack.at[i] = first + i < count ? tile[first + i] : 0;
  return pack;
}

template <bool Whole>
__device__ inline void store(Value* tile, int first, int count, const Pack& pack) {
  if constexpr (Whole) {
    Vector* target = reinterpret_cast<Vector*>(tile + first);
    if constexpr (access_kind == Access::streaming) {
      __stcs(target, reinterpret_cast<const Vector&>(pack));
    } else {
      *target = reinterpret_cast<const Vector&>(pack);
    }
    return;
  }
#pragma unroll
  for (int i = 0; i < VECTOR; ++i)
    if (first + i < count) tile[first + i] = pack.at[i];
}

// The first value of what this thread's i-th vector is in global memory.
__device__ inline int first_of(int i) {
  const int thread = static_cast<int>(threadIdx.x);
  if constexpr (exchange == Exchange::direct) return thread * ITEMS + i * VECTOR;
  return thread / lanes * lanes * ITEMS + (i * lanes + thread % lanes) * VECTOR;
}

__device__ inline void wait_for_segment() {
  if constexpr (exchange == Exchange::block) {
    __syncthreads();
  } else {
    __syncwarp();
  }
}

template <bool Whole>
__device__ inline void load_tile(Value (&items)[ITEMS], const Value* tile, int count, Pack* storage) {
  Pack packs[vectors];
#pragma unroll
  for (int i = 0; i < vectors; ++i) packs[i] = load<Whole>(tile, first_of(i), count);
  if constexpr (exchange != Exchange::direct) {
    const int thread = static_cast<int>(threadIdx.x);
    Pack* segment = storage + thread / lanes * segment_places;
#pragma unroll
    for (int i = 0; i < vectors; ++i) segment[place(i * lanes + thread % lanes)] = packs[i];
    wait_for_segment();
#pragma unroll
    for (int i = 0; i < vectors; ++i) packs[i] = segment[place(thread % lanes * vectors + i)];
  }
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) items[i] = packs[i / VECTOR].at[i % VECTOR];
}

// A thread puts its values where it alone took them from: no barrier is needed before that.
template <bool Whole>
__device__ inline void store_tile(const Value (&items)[ITEMS], Value* tile, int count, Pack* storage) {
  Pack packs[vectors];
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) packs[i / VECTOR].at[i % VECTOR] = items[i];
  if constexpr (exchange != Exchange::direct) {
    const int thread = static_cast<int>(threadIdx.x);
    Pack* segment = storage + thread / lanes * segment_places;
#pragma unroll
    for (int i = 0; i < vectors; ++i) segment[place(thread % lanes * vectors + i)] = packs[i];
    wait_for_segment();
#pragma unroll
    for (int i = 0; i < vectors; ++i) packs[i] = segment[place(i * lanes + thread % lanes)];
  }
#pragma unroll
  for (int i = 0; i < vectors; ++i) store<Whole>(tile, first_of(i), count, packs[i]);
}
