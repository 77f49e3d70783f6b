// One pass by persistent blocks whose warps are specialised. A ring of STAGES tiles goes from one to the next:
//
//   a warp that reads      takes a ticket, and has the TMA bring the tile
//   BLOCK_SIZE that add up the tile's warps' sums; their first warp publishes the tile's
//   a warp that looks back finds out what lies before the tile, and publishes the sum up to its end
//   BLOCK_SIZE that scan   the tile in place
//   a warp that writes     has the TMA take it away
//
// So a tile's sum is known to others long before the block comes to scan it, no thread waits for memory and for another
// block in turn, and registers hold nothing on its way. Sources: CUB's scan for compute capability 10.0 ("warpspeed",
// cub/detail/warpspeed) has the same division of labour; Merrill & Garland for the look-back.
#pragma once

#include <warptune/device/bulk_copy.cuh>

#include "domino.cuh"
#include "tile.cuh"

constexpr int squad = BLOCK_SIZE;          // threads that add up, and threads that scan
constexpr int squad_warps = squad / warp;  // each with the same part of a tile
constexpr int specialists = 2 * squad + 3 * warp;
constexpr int warp_items = warp * COARSENING;
constexpr unsigned no_tile = 0xffffffffu;

using warptune::device::arrive;
using warptune::device::Barrier;
using warptune::device::make_barrier;
using warptune::device::wait_for_phase;
using warptune::device::window_of;

// The TMA moves 16 bytes at least: of so many values, those that it can.
__device__ inline int whole_copies(int count) {
  return count / 4 * 4;
}

struct Stage {
  Barrier filled;   // the tile and its number are there
  Barrier added;    // its warps' sums are there
  Barrier summed;   // and its own was published
  Barrier known;    // what lies before it is there
  Barrier scanned;  // it can be written
  Barrier free;     // and it was
  unsigned tile;    // no_tile: there is none left
  Value total;
  Value before;
  Value warp_sums[squad_warps];
};

struct Ring : warptune::device::RingPlace<STAGES> {
  Stage* stages;
  Value* tiles;  // STAGES * tile_size

  __device__ Ring(Stage* all_stages, Value* all_tiles) : stages(all_stages), tiles(all_tiles) {}
  __device__ Stage& now() const { return stages[stage]; }
  __device__ Value* tile() const { return tiles + stage * tile_size; }
};

__device__ inline void wait_for(const Barrier& barrier, unsigned parity) {
  wait_for_phase(window_of(&barrier), parity);
}

// One thread. It takes a ticket only when there is room for the tile: others wait for every tile that is taken.
__device__ inline void read_tiles(Ring ring, const Value* input, unsigned* ticket, long long size, unsigned tiles) {
  for (;; ring.advance()) {
    Stage& stage = ring.now();
    wait_for(stage.free, ring.parity ^ 1);
    const unsigned mine = atomicAdd(ticket, 1u);
    stage.tile = mine < tiles ? mine : no_tile;
    if (mine >= tiles) return arrive(window_of(&stage.filled));
    const Value* from = input + static_cast<long long>(mine) * tile_size;
    const int count = count_in_tile(mine, size);
    const int whole = whole_copies(count);
    for (int i = whole; i < count; ++i) ring.tile()[i] = from[i];
    const int bytes = whole * static_cast<int>(sizeof(Value));
    warptune::device::arrive_and_announce(window_of(&stage.filled), bytes);
    if (bytes > 0) warptune::device::copy_bytes(window_of(ring.tile()), from, bytes, window_of(&stage.filled));
  }
}

// The next tile, when it is there; no_tile after the last one.
__device__ inline unsigned wait_for_stage(const Ring& ring) {
  wait_for(ring.now().filled, ring.parity);
  return ring.now().tile;
}

// Of `count` values that exist, the vector whose first one is `first`.
__device__ inline Pack vector_at(const Value* tile, int first, int count) {
  Pack pack = *reinterpret_cast<const Pack*>(tile + first);
  if (first + VECTOR_WIDTH <= count) return pack;
#pragma unroll
  for (int i = 0; i < VECTOR_WIDTH; ++i) pack.at[i] = first + i < count ? pack.at[i] : 0;
  return pack;
}

__device__ inline Value sum_of_warp_part(const Value* tile, int count, int thread) {
  Value sum = 0;
#pragma unroll
  for (int i = 0; i < vectors; ++i) {
    const int first = thread / warp * warp_items + (i * warp + thread % warp) * VECTOR_WIDTH;
    const Pack pack = vector_at(tile, first, count);
#pragma unroll
    for (int j = 0; j < VECTOR_WIDTH; ++j) sum += pack.at[j];
  }
  return warptune::device::warp_sum(sum);
}

// `thread` counts within the squad.
__device__ inline void add_up_tiles(Ring ring, State* states, long long size, int thread) {
  const int lane = thread % warp;
  for (unsigned tile = 0; (tile = wait_for_stage(ring)) != no_tile; ring.advance()) {
    Stage& stage = ring.now();
    const Value sum = sum_of_warp_part(ring.tile(), count_in_tile(tile, size), thread);
    __syncwarp();  // all lanes have read their part, and what arrives speaks for them
    if (lane == 0) {
      stage.warp_sums[thread / warp] = sum;
      arrive(window_of(&stage.added));
    }
    if (thread >= warp) continue;
    wait_for(stage.added, ring.parity);
    const Value total = warptune::device::warp_sum(lane < squad_warps ? stage.warp_sums[lane] : 0);
    __syncwarp();
    if (lane == 0) {
      Tiles::publish(states, tile, tile == 0 ? warptune::device::sum_from_start : warptune::device::own_sum, total);
      stage.total = total;
      arrive(window_of(&stage.summed));
    }
  }
}

__device__ inline void look_back_from_tiles(Ring ring, State* states, int lane) {
  for (unsigned tile = 0; (tile = wait_for_stage(ring)) != no_tile; ring.advance()) {
    Stage& stage = ring.now();
    wait_for(stage.summed, ring.parity);
    const Value before = tile == 0 ? 0 : Tiles::look_back<LOOK_BACK_WINDOW>(states, tile);
    __syncwarp();
    if (lane == 0) {
      if (tile > 0) Tiles::publish(states, tile, warptune::device::sum_from_start, before + stage.total);
      stage.before = before;
      arrive(window_of(&stage.known));
    }
  }
}

// What lies before a thread's values within its tile.
__device__ inline Value before_thread(const Stage& stage, Value own, int thread) {
  const int lane = thread % warp;
  const Value before_warp = warptune::device::warp_sum(lane < thread / warp ? stage.warp_sums[lane] : 0);
  return before_warp + warptune::device::warp_inclusive_sum(own) - own;
}

__device__ inline void take_values(Value (&items)[COARSENING], const Value* tile, int count, int thread) {
#pragma unroll
  for (int i = 0; i < vectors; ++i) {
    const Pack pack = vector_at(tile, thread * COARSENING + i * VECTOR_WIDTH, count);
#pragma unroll
    for (int j = 0; j < VECTOR_WIDTH; ++j) items[i * VECTOR_WIDTH + j] = pack.at[j];
  }
}

__device__ inline void put_values(const Value (&items)[COARSENING], Value* tile, int thread) {
#pragma unroll
  for (int i = 0; i < vectors; ++i) {
    Pack pack;
#pragma unroll
    for (int j = 0; j < VECTOR_WIDTH; ++j) pack.at[j] = items[i * VECTOR_WIDTH + j];
    *reinterpret_cast<Pack*>(tile + thread * COARSENING + i * VECTOR_WIDTH) = pack;
  }
}

__device__ inline void scan_tiles(Ring ring, long long size, bool exclusive, int thread) {
  for (unsigned tile = 0; (tile = wait_for_stage(ring)) != no_tile; ring.advance()) {
    Stage& stage = ring.now();
    Value items[COARSENING];
    take_values(items, ring.tile(), count_in_tile(tile, size), thread);
    wait_for(stage.known, ring.parity);
    scan_items(items, stage.before + before_thread(stage, sum_of(items), thread), exclusive);
    put_values(items, ring.tile(), thread);
    warptune::device::publish_to_copies();
    __syncwarp();
    if (thread % warp == 0) arrive(window_of(&stage.scanned));
  }
}

// One thread. A stage is free as soon as the TMA has read it.
__device__ inline void write_tiles(Ring ring, Value* output, long long size) {
  for (unsigned tile = 0; (tile = wait_for_stage(ring)) != no_tile; ring.advance()) {
    Stage& stage = ring.now();
    wait_for(stage.scanned, ring.parity);
    Value* const to = output + static_cast<long long>(tile) * tile_size;
    const int count = count_in_tile(tile, size);
    const int whole = whole_copies(count);
    const int bytes = whole * static_cast<int>(sizeof(Value));
    if (bytes > 0) warptune::device::copy_bytes_out(to, window_of(ring.tile()), bytes);
    for (int i = whole; i < count; ++i) to[i] = ring.tile()[i];
    warptune::device::wait_until_read();
    arrive(window_of(&stage.free));
  }
}

__device__ inline void make_stages(Stage* stages) {
  for (int i = 0; i < STAGES; ++i) {
    make_barrier(window_of(&stages[i].filled), 1);
    make_barrier(window_of(&stages[i].added), squad_warps);
    make_barrier(window_of(&stages[i].summed), 1);
    make_barrier(window_of(&stages[i].known), 1);
    make_barrier(window_of(&stages[i].scanned), squad_warps);
    make_barrier(window_of(&stages[i].free), 1);
  }
  warptune::device::publish_barriers();
}

// As `scan`, of `tiles` tiles, by any number of blocks of `specialists` threads. Dynamic shared memory: STAGES
// tiles.
__device__ inline void scan_by_specialists(const Value* input, Value* output, unsigned* ticket, State* states,
                                           long long size, unsigned tiles, bool exclusive, Value* storage) {
  __shared__ Stage stages[STAGES];
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == 0) make_stages(stages);
  __syncthreads();
  const Ring ring(stages, storage);
  if (thread < squad) return scan_tiles(ring, size, exclusive, thread);
  if (thread < 2 * squad) return add_up_tiles(ring, states, size, thread - squad);
  const int helper = (thread - 2 * squad) / warp, lane = thread % warp;
  if (helper == 0) return look_back_from_tiles(ring, states, lane);
  if (lane > 0) return;
  if (helper == 1) return read_tiles(ring, input, ticket, size, tiles);
  write_tiles(ring, output, size);
}
