// What a block reads: the signal, its tile of it, and the filter. The parameters are described in kernel.cu.
#pragma once

enum class CoarseningOrder { consecutive, strided };
enum class Tiling { none, cached_halo, output_tile, input_tile };
enum class Filter { constant, global, shared };

constexpr CoarseningOrder coarsening_order = CoarseningOrder::COARSENING_ORDER;
constexpr Tiling tiling = Tiling::TILING;
constexpr Filter filter_kind = Filter::FILTER;
constexpr int radius = FILTER_RADIUS;
constexpr int taps = 2 * radius + 1;
constexpr int tile_size = BLOCK_SIZE * COARSENING;
// Of the tile in shared memory, in whole vectors, so that it begins where a vector does.
constexpr int margin = tiling == Tiling::output_tile ? (radius + VECTOR_WIDTH - 1) / VECTOR_WIDTH * VECTOR_WIDTH : 0;
constexpr int stored = tile_size + 2 * margin;
constexpr int banks = 32;

__constant__ float constant_filter[taps];

struct alignas(4 * VECTOR_WIDTH) Pack {
  float at[VECTOR_WIDTH];
};

struct Signal {
  const float* values;
  long long size;

  __device__ float at(long long i) const { return i >= 0 && i < size ? __ldg(values + i) : 0.0f; }

  // The values from i on, a multiple of VECTOR_WIDTH.
  __device__ Pack load(long long i) const {
    if (i >= 0 && i + VECTOR_WIDTH <= size) return *reinterpret_cast<const Pack*>(values + i);
    Pack pack;
#pragma unroll
    for (int j = 0; j < VECTOR_WIDTH; ++j) pack.at[j] = at(i + j);
    return pack;
  }
};

// Where the tile keeps the input `i` places behind its first.
__device__ inline int place(int i) {
  return i + i / banks * PADDING;
}

// What a block reads: its outputs begin at `first`.
struct Source {
  Signal signal;
  const float* tile;
  long long first;

  // The input `i` places behind the block's first output.
  __device__ float at(int i) const {
    if constexpr (tiling == Tiling::output_tile) return tile[place(i + margin)];
    if constexpr (tiling == Tiling::cached_halo) {
      if (i >= 0 && i < tile_size) return tile[place(i)];
    }
    return signal.at(first + i);
  }
};

__device__ inline void load_tile(float* tile, const Signal& signal, long long first) {
  for (int i = static_cast<int>(threadIdx.x) * VECTOR_WIDTH; i < stored; i += BLOCK_SIZE * VECTOR_WIDTH) {
    const Pack pack = signal.load(first - margin + i);
    if constexpr (PADDING > 0) {
#pragma unroll
      for (int j = 0; j < VECTOR_WIDTH; ++j) tile[place(i + j)] = pack.at[j];
    } else {
      *reinterpret_cast<Pack*>(tile + i) = pack;
    }
  }
}

__device__ inline float tap(const float* filter, int t) {
  if constexpr (filter_kind == Filter::constant) return constant_filter[t];
  if constexpr (filter_kind == Filter::global) return __ldg(filter + t);
  return filter[t];
}

// The filter's copy in shared memory, if there shall be one. A barrier must follow.
__device__ inline const float* keep_filter(float* copy, const float* filter) {
  if constexpr (filter_kind == Filter::shared) {
    for (int i = static_cast<int>(threadIdx.x); i < taps; i += BLOCK_SIZE) copy[i] = filter[i];
    return copy;
  } else {
    return filter;
  }
}
