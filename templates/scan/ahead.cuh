// The next tile on its way to shared memory while a block works on one: what it waits for while it looks back is not
// memory's time.
#pragma once

#include <warptune/device/async_copy.cuh>

#include "tile.cuh"

constexpr int tile_places = BLOCK_SIZE / group * segment_places;

__device__ inline Pack* segment_of_thread(Pack* storage) {
  return storage + static_cast<int>(threadIdx.x) / group * segment_places;
}

// Starts reading a tile of which `count` values exist; none if there is no such tile.
__device__ inline void start_tile(const Value* tile, int count, Pack* storage) {
  Pack* segment = segment_of_thread(storage);
  const int thread = static_cast<int>(threadIdx.x);
  if (count == tile_size) {
#pragma unroll
    for (int i = 0; i < vectors; ++i)
      warptune::device::copy_async<sizeof(Pack)>(&segment[place(i * group + thread % group)], tile + first_of(i));
  } else if (count > 0) {
#pragma unroll
    for (int i = 0; i < vectors; ++i)
      segment[place(i * group + thread % group)] = load<false>(tile, first_of(i), count);
  }
  warptune::device::commit_copies();
}

// Waits for a tile; at most `Later` that were started after it may still be on their way.
template <int Later>
__device__ inline void wait_for_tile() {
  warptune::device::wait_for_copies<Later>();
  wait_for_segment();
}

__device__ inline void take_items(Value (&items)[COARSENING], Pack* storage) {
  const Pack* segment = segment_of_thread(storage);
  const int thread = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int i = 0; i < vectors; ++i) {
    const Pack pack = segment[place(thread % group * vectors + i)];
#pragma unroll
    for (int j = 0; j < VECTOR_WIDTH; ++j) items[i * VECTOR_WIDTH + j] = pack.at[j];
  }
}
