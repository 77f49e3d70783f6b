// Integers in ascending order by merging: each tile is sorted by a block, then launch after launch merges neighbouring
// runs of tiles, in each of which every block finds the part of two runs that its tile of the result comes from.
//
//   BLOCK_SIZE         threads per block
//   COARSENING         keys that a thread merges: a tile of BLOCK_SIZE * COARSENING; odd numbers keep a warp's threads
//                      in different banks
//   THREAD_SORT        how a thread sorts its keys before anything is merged: odd-even transposition, or Batcher's merge
//                      exchange with fewer comparisons
//   PARTITION          who searches for the blocks' parts: the blocks, or a launch before theirs, a thread for each
//   PROBES             places that a block tries at once as it searches for its part: fewer waits for memory, more
//                      reading
//   CACHE_HINT         plain, or streaming: what is read will not be used again
//   MIN_BLOCKS_PER_SM  blocks that a multiprocessor must hold at once: bounds the registers of a thread
//
// Sources: Satish, Harris & Garland, "Designing Efficient Sorting Algorithms for Manycore GPUs" (IPDPS 2009); Odeh,
// Green, Mwassi, Shmueli & Birk, "Merge Path - Parallel Merging Made Simple" (2012); Green, McColl & Bader, "GPU Merge
// Path" (ICS 2012); Baxter, "Modern GPU" (2013) for odd numbers of keys, transposition in registers and merging with
// the runs' heads in registers.

#include "merge_path.cuh"

enum class Partition { blocks, launch };
enum class CacheHint { plain, streaming };
constexpr Partition partition_by = Partition::PARTITION;
constexpr CacheHint cache_hint = CacheHint::CACHE_HINT;

// The buffers take turns so that the last launch writes to the output. Launch 0 sorts tiles, launch n merges.
struct Buffers {
  const Key* input;
  Key* output;
  Key* other;
  int launches;

  __device__ Key* written_by(int launch) const { return (launches - launch) % 2 == 1 ? output : other; }
  __device__ const Key* read_by(int launch) const { return launch == 0 ? input : written_by(launch - 1); }
};

__device__ inline Key load(const Key* key) {
  return cache_hint == CacheHint::streaming ? __ldcs(key) : *key;
}

__device__ inline int at_most_a_tile(long long count) {
  return count < tile_size ? static_cast<int>(count) : tile_size;
}

// The keys of a, then those of b, to shared memory. Behind them largest keys, which every merge leaves behind all
// others.
__device__ inline void load_tile(Key* tile, const Key* a, int a_count, const Key* b, int b_count) {
  Key keys[COARSENING];
#pragma unroll
  for (int i = 0; i < COARSENING; ++i) {
    const int place = static_cast<int>(threadIdx.x) + i * BLOCK_SIZE;
    const Key* key = place < a_count ? a + place : b + (place - a_count);
    keys[i] = place < a_count + b_count ? load(key) : largest;
  }
#pragma unroll
  for (int i = 0; i < COARSENING; ++i) tile[static_cast<int>(threadIdx.x) + i * BLOCK_SIZE] = keys[i];
  __syncthreads();
}

__device__ inline void store_tile(const Key* tile, Key* keys, int count) {
  __syncthreads();
#pragma unroll
  for (int i = 0; i < COARSENING; ++i) {
    const int place = static_cast<int>(threadIdx.x) + i * BLOCK_SIZE;
    if (place < count) keys[place] = tile[place];
  }
}

// Dynamic shared memory of both kernels: a tile.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE, MIN_BLOCKS_PER_SM)
    sort_tiles(const Key* __restrict__ input, Key* output, Key* other, long long size, int launches) {
  extern __shared__ Key tile[];
  const long long first = static_cast<long long>(blockIdx.x) * tile_size;
  const int count = at_most_a_tile(size - first);
  load_tile(tile, input + first, count, input, 0);
  sort_tile(tile);
  store_tile(tile, Buffers{input, output, other, launches}.written_by(0) + first, count);
}

// Two neighbouring runs, and where the tile lies in what they become.
struct Runs {
  const Key* a;
  const Key* b;
  long long a_count;
  long long b_count;
  long long diagonal;

  // Of `run` keys each, or fewer at the end of the data.
  __device__ Runs(const Key* keys, long long size, long long run, long long tile) {
    const long long begin = tile * tile_size / (2 * run) * (2 * run);
    a = keys + begin;
    a_count = min(run, size - begin);
    b = a + a_count;
    b_count = min(run, size - begin - a_count);
    diagonal = tile * tile_size - begin;
  }
  __device__ long long end() const { return min(diagonal + tile_size, a_count + b_count); }
};

// A launch of its own: how much of a lies before each tile.
__device__ inline void find_partitions(const Key* keys, long long size, long long run, long long* partitions) {
  const long long tile = static_cast<long long>(blockIdx.x) * BLOCK_SIZE + threadIdx.x;
  if (tile * tile_size >= size) return;
  const Runs runs(keys, size, run, tile);
  partitions[tile] = path_for_thread(runs.a, runs.a_count, runs.b, runs.b_count, runs.diagonal);
}

// What the block's tile needs from two runs.
struct Part {
  const Key* a;
  const Key* b;
  int a_count;
  int b_count;
};

__device__ inline Part part_of_block(const Runs& runs, const long long* partitions) {
  __shared__ long long from_a[2];
  if constexpr (partition_by == Partition::launch) {
    if (threadIdx.x == 0) {
      from_a[0] = partitions[blockIdx.x];
      from_a[1] = runs.end() == runs.a_count + runs.b_count ? runs.a_count : partitions[blockIdx.x + 1];
    }
  } else {
    const int which = static_cast<int>(threadIdx.x) / warp;
    if (which < 2) {
      const long long diagonal = which == 0 ? runs.diagonal : runs.end();
      const long long found = path_for_warp(runs.a, runs.a_count, runs.b, runs.b_count, diagonal);
      if (threadIdx.x % warp == 0) from_a[which] = found;
    }
  }
  __syncthreads();
  const int a_count = static_cast<int>(from_a[1] - from_a[0]);
  const int count = static_cast<int>(runs.end() - runs.diagonal);
  return {runs.a + from_a[0], runs.b + (runs.diagonal - from_a[0]), a_count, count - a_count};
}

// launch: 1 … launches - 1. Runs are `2^(launch - 1)` tiles long before it. searching: only searches for the tiles'
// parts.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE, MIN_BLOCKS_PER_SM)
    merge_runs(const Key* input, Key* output, Key* other, long long* partitions, long long size, int launch,
               int launches, int searching) {
  extern __shared__ Key tile[];
  const Buffers buffers{input, output, other, launches};
  const Key* source = buffers.read_by(launch);
  const long long run = static_cast<long long>(tile_size) << (launch - 1);
  if (partition_by == Partition::launch && searching != 0) {
    find_partitions(source, size, run, partitions);
    return;
  }
  const Part part = part_of_block(Runs(source, size, run, blockIdx.x), partitions);
  load_tile(tile, part.a, part.a_count, part.b, part.b_count);
  const int diagonal = static_cast<int>(threadIdx.x) * COARSENING;
  const int b_count = tile_size - part.a_count;
  const int from_a = path_for_thread(tile, part.a_count, tile + part.a_count, b_count, diagonal);
  Key keys[COARSENING];
  merge_items(keys, tile, from_a, part.a_count, part.a_count + diagonal - from_a, tile_size);
  __syncthreads();
  write_own(keys, tile);
  const long long first = static_cast<long long>(blockIdx.x) * tile_size;
  store_tile(tile, buffers.written_by(launch) + first, part.a_count + part.b_count);
}
