// Between global memory and a thread's COARSENING consecutive values. Read directly, a warp's accesses lie COARSENING
// values apart; read as neighbours, the values have to change hands through shared memory.
#pragma once

#include <warptune/device/vectors.cuh>

#include "block_scan.cuh"

enum class Exchange { direct, warp, block };

constexpr Exchange exchange = Exchange::EXCHANGE;
constexpr auto cache_hint = warptune::device::CacheHint::CACHE_HINT;
constexpr int tile_size = BLOCK_SIZE * COARSENING;
constexpr int vectors = COARSENING / VECTOR_WIDTH;
constexpr int group = exchange == Exchange::block ? BLOCK_SIZE : warp;  // threads that exchange values with each other

using Pack = warptune::device::Pack<Value, VECTOR_WIDTH>;

// Where shared memory keeps a vector: with padding, an empty one behind each 32 words, so that vectors a power of two
// apart lie in different banks.
__device__ constexpr int place(int vector) {
  return vector + PADDING * (vector / (32 / VECTOR_WIDTH));
}
constexpr int segment_places = group * vectors + (PADDING * (group * vectors / (32 / VECTOR_WIDTH)));

// Not `Whole`: only the tile's first `count` values exist; the others count as zero.
template <bool Whole>
__device__ inline Pack load(const Value* tile, int first, int count) {
  if constexpr (Whole) return warptune::device::load_pack<VECTOR_WIDTH, cache_hint>(tile + first);
  Pack pack;
#pragma unroll
  for (int i = 0; i < VECTOR_WIDTH; ++i) pack.at[i] = first + i < count ? tile[first + i] : 0;
  return pack;
}

template <bool Whole>
__device__ inline void store(Value* tile, int first, int count, const Pack& pack) {
  if constexpr (Whole) return warptune::device::store_pack<cache_hint>(tile + first, pack);
#pragma unroll
  for (int i = 0; i < VECTOR_WIDTH; ++i)
    if (first + i < count) tile[first + i] = pack.at[i];
}

// The first value of what this thread's i-th vector is in global memory.
__device__ inline int first_of(int i) {
  const int thread = static_cast<int>(threadIdx.x);
  if constexpr (exchange == Exchange::direct) return thread * COARSENING + i * VECTOR_WIDTH;
  return thread / group * group * COARSENING + (i * group + thread % group) * VECTOR_WIDTH;
}

__device__ inline void wait_for_segment() {
  if constexpr (exchange == Exchange::block) {
    __syncthreads();
  } else {
    __syncwarp();
  }
}

template <bool Whole>
__device__ inline void load_tile(Value (&items)[COARSENING], const Value* tile, int count, Pack* storage) {
  Pack packs[vectors];
#pragma unroll
  for (int i = 0; i < vectors; ++i) packs[i] = load<Whole>(tile, first_of(i), count);
  if constexpr (exchange != Exchange::direct) {
    const int thread = static_cast<int>(threadIdx.x);
    Pack* segment = storage + thread / group * segment_places;
#pragma unroll
    for (int i = 0; i < vectors; ++i) segment[place(i * group + thread % group)] = packs[i];
    wait_for_segment();
#pragma unroll
    for (int i = 0; i < vectors; ++i) packs[i] = segment[place(thread % group * vectors + i)];
  }
#pragma unroll
  for (int i = 0; i < COARSENING; ++i) items[i] = packs[i / VECTOR_WIDTH].at[i % VECTOR_WIDTH];
}

// A thread puts its values where it alone took them from: no barrier is needed before that.
template <bool Whole>
__device__ inline void store_tile(const Value (&items)[COARSENING], Value* tile, int count, Pack* storage) {
  Pack packs[vectors];
#pragma unroll
  for (int i = 0; i < COARSENING; ++i) packs[i / VECTOR_WIDTH].at[i % VECTOR_WIDTH] = items[i];
  if constexpr (exchange != Exchange::direct) {
    const int thread = static_cast<int>(threadIdx.x);
    Pack* segment = storage + thread / group * segment_places;
#pragma unroll
    for (int i = 0; i < vectors; ++i) segment[place(thread % group * vectors + i)] = packs[i];
    wait_for_segment();
#pragma unroll
    for (int i = 0; i < vectors; ++i) packs[i] = segment[place(i * group + thread % group)];
  }
#pragma unroll
  for (int i = 0; i < vectors; ++i) store<Whole>(tile, first_of(i), count, packs[i]);
}

__device__ inline int count_in_tile(long long tile, long long size) {
  const long long rest = size - tile * tile_size;
  return rest < tile_size ? static_cast<int>(rest > 0 ? rest : 0) : tile_size;
}

__device__ inline Value sum_of(const Value (&items)[COARSENING]) {
  Value sum = 0;
#pragma unroll
  for (int i = 0; i < COARSENING; ++i) sum += items[i];
  return sum;
}

// Values become their prefix sums; `sum` is what lies before the first.
__device__ inline void scan_items(Value (&items)[COARSENING], Value sum, bool exclusive) {
#pragma unroll
  for (int i = 0; i < COARSENING; ++i) {
    const Value including = sum + items[i];
    items[i] = exclusive ? sum : including;
    sum = including;
  }
}
