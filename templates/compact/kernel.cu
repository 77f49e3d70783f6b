// Those of `size` floats that are greater than a threshold, in their order, without gaps. Each element's place is the
// number of kept ones before it: a prefix sum of zeros and ones, for which ballots are enough within a warp. An element
// may have several outputs (OUTPUTS), and a function may be applied to them (MAP); elements.cuh has both.
//
//   ALGORITHM         look_back: one pass, in which each block learns from those before it; three_kernels: count, scan
//                     of the counts, move, which reads the input twice
//   BLOCK_SIZE        threads per block
//   COARSENING        elements a thread reads
//   VECTOR_WIDTH      floats moved by one load: the lanes' vectors are neighbours
//   SCATTER           direct: each kept element goes to its place in global memory; staged: the block first closes the
//                     gaps in shared memory and then writes neighbours together
//   APPLY             where MAP's function is computed: branch: by the threads that find their element kept, while the
//                     others of their warp wait; stage: on what has closed up in shared memory; launch: by a kernel of
//                     its own on the compacted output (compact, then map)
//   LOOK_BACK_WINDOW  tiles that each lane looks back at at once: the window has 32 * LOOK_BACK_WINDOW tiles
//   TILE_ORDER        index: tiles are taken in the order of block indices, in which GPUs start blocks; ticket: in that
//                     of a counter, which guarantees that the blocks a block waits for are running
//   CACHE_HINT        plain, or streaming loads
//
// Sources: Billeter, Olsson & Assarsson, "Efficient Stream Compaction on Wide SIMD Many-Core Architectures" (HPG 2009);
// Harris & Garland, "Optimizing Parallel Prefix Operations for the Fermi Architecture" (GPU Computing Gems, 2011) for
// ballots; Merrill & Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back" (NVIDIA, 2016).

#include <warptune/device/look_back.cuh>
#include <warptune/device/vectors.cuh>

#include "elements.cuh"

using warptune::device::CacheHint;
using warptune::device::load_pack;
using warptune::device::own_sum;
using warptune::device::sum_from_start;
using warptune::device::take_ticket;
using warptune::device::warp_inclusive_sum;

enum class Algorithm { look_back, three_kernels };
enum class Scatter { direct, staged };
enum class TileOrder { index, ticket };
enum class Apply { branch, stage, launch };

constexpr Algorithm algorithm = Algorithm::ALGORITHM;
constexpr Scatter scatter = Scatter::SCATTER;
constexpr TileOrder tile_order = TileOrder::TILE_ORDER;
constexpr Apply apply = MAP ? Apply::APPLY : Apply::launch;
constexpr CacheHint cache_hint = CacheHint::CACHE_HINT;
constexpr int warp = 32;
constexpr int warps = BLOCK_SIZE / warp;
constexpr int tile_size = BLOCK_SIZE * COARSENING;
constexpr int vectors = COARSENING / VECTOR_WIDTH;

using Pack = warptune::device::Pack<float, VECTOR_WIDTH>;
using Tiles = warptune::device::TileSums<long long>;
using State = Tiles::State;

__device__ inline long long tile_of_block(unsigned* ticket) {
  if constexpr (algorithm == Algorithm::three_kernels || tile_order == TileOrder::index) return blockIdx.x;
  return take_ticket(ticket);
}

// A thread's part of a tile. Each warp has COARSENING * 32 neighbours, row after row of vectors. What lies behind the
// input's end is read as a value that is not kept.
__device__ inline void load_items(Pack (&packs)[vectors], const float* input, long long tile, long long size) {
  const int thread = static_cast<int>(threadIdx.x);
  const long long begin = tile * tile_size + thread / warp * warp * COARSENING + thread % warp * VECTOR_WIDTH;
  const bool whole = (tile + 1) * tile_size <= size;
#pragma unroll
  for (int i = 0; i < vectors; ++i) {
    const long long first = begin + i * warp * VECTOR_WIDTH;
    if (whole) {
      packs[i] = load_pack<VECTOR_WIDTH, cache_hint>(input + first);
    } else {
#pragma unroll
      for (int j = 0; j < VECTOR_WIDTH; ++j) packs[i].at[j] = first + j < size ? input[first + j] : never_kept;
    }
  }
}

// The same for elements with any number of outputs: ballots cannot count these, so that the lanes' numbers are scanned.
__device__ inline int rank_outputs_in_warp(int (&ranks)[vectors], const Pack (&packs)[vectors]) {
  int before = 0;
#pragma unroll
  for (int i = 0; i < vectors; ++i) {
    int own = 0;
#pragma unroll
    for (int j = 0; j < VECTOR_WIDTH; ++j) own += num(packs[i].at[j]);
    const int sum = warp_inclusive_sum(own);
    ranks[i] = before + sum - own;
    before += __shfl_sync(0xffffffffu, sum, warp - 1);
  }
  return before;
}

// How many of its warp's kept elements lie before each of this thread's vectors; returns how many there are in all.
__device__ inline int rank_in_warp(int (&ranks)[vectors], const Pack (&packs)[vectors]) {
  if constexpr (several) return rank_outputs_in_warp(ranks, packs);
  const unsigned lanes_before = (1u << threadIdx.x % warp) - 1;
  int kept = 0;
#pragma unroll
  for (int i = 0; i < vectors; ++i) {
    ranks[i] = kept;
#pragma unroll
    for (int j = 0; j < VECTOR_WIDTH; ++j) {
      const unsigned keepers = __ballot_sync(0xffffffffu, is_kept(packs[i].at[j]));
      ranks[i] += __popc(keepers & lanes_before);
      kept += __popc(keepers);
    }
  }
  return kept;
}

struct Prefix {
  int before;  // kept elements of the block's warps before this one
  int total;   // of the block
};

// There are at most 32 warps: each scans all their counts for itself, which saves a second barrier.
__device__ inline Prefix prefix_of_warps(int kept) {
  __shared__ int counts[warps];
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % warp;
  if (lane == 0) counts[thread / warp] = kept;
  __syncthreads();
  const int sum = warp_inclusive_sum(lane < warps ? counts[lane] : 0);
  return {__shfl_sync(0xffffffffu, sum, thread / warp) - kept, __shfl_sync(0xffffffffu, sum, warps - 1)};
}

// Tells the others how many this tile keeps and waits for what they have.
__device__ inline long long kept_before_tile(State* states, long long tile, int kept) {
  __shared__ long long before;
  if (threadIdx.x < warp) {
    if (threadIdx.x == 0) Tiles::publish(states, tile, tile == 0 ? sum_from_start : own_sum, kept);
    const long long count = tile == 0 ? 0 : Tiles::look_back<LOOK_BACK_WINDOW>(states, tile);
    if (threadIdx.x == 0) {
      if (tile > 0) Tiles::publish(states, tile, sum_from_start, count + kept);
      before = count;
    }
  }
  __syncthreads();
  return before;
}

// What is written of an output before the block has closed up: of a warp's lanes only those whose element is kept are
// here.
__device__ inline float kept(float output) {
  return apply == Apply::branch ? mapped(output) : output;
}

// Writes this thread's kept elements to their places from `first` on.
__device__ inline void move_kept(float* first, const Pack (&packs)[vectors], const int (&ranks)[vectors]) {
#pragma unroll
  for (int i = 0; i < vectors; ++i) {
    int rank = ranks[i];
#pragma unroll
    for (int j = 0; j < VECTOR_WIDTH; ++j) {
      if constexpr (several) {
        for (int output = 0; output < num(packs[i].at[j]); ++output)
          first[rank++] = kept(output_of(packs[i].at[j], output));
      } else {
        if (is_kept(packs[i].at[j])) first[rank++] = kept(packs[i].at[j]);
      }
    }
  }
}

// input: `size` floats, aligned to 16 bytes; output: room for as many (or three times, with
// several outputs); count: how many are kept. look_back: a ticket
// and a state per tile, all zero; three_kernels: what is kept before each tile. Dynamic shared memory: a tile, if
// staged.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    compact(const float* __restrict__ input, float* __restrict__ output, long long* count, unsigned* ticket,
            State* states, const long long* before_tiles, long long size) {
  extern __shared__ float stage[];
  const long long tile = tile_of_block(ticket);
  Pack packs[vectors];
  int ranks[vectors];
  load_items(packs, input, tile, size);
  const int kept = rank_in_warp(ranks, packs);
  const Prefix prefix = prefix_of_warps(kept);
  if constexpr (scatter == Scatter::staged) move_kept(stage + prefix.before, packs, ranks);
  long long before;
  if constexpr (algorithm == Algorithm::look_back) {
    before = kept_before_tile(states, tile, prefix.total);
  } else {
    before = before_tiles[tile];
    if constexpr (scatter == Scatter::staged) __syncthreads();
  }
  if constexpr (scatter == Scatter::staged) {
    for (int i = static_cast<int>(threadIdx.x); i < prefix.total; i += BLOCK_SIZE)
      output[before + i] = apply == Apply::stage ? mapped(stage[i]) : stage[i];
  } else {
    move_kept(output + before + prefix.before, packs, ranks);
  }
  if (threadIdx.x == 0 && (tile + 1) * tile_size >= size) *count = before + prefix.total;
}

// After all others: the function of every output, by whole warps.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE) map_kept(float* output, const long long* count) {
  const long long threads = static_cast<long long>(gridDim.x) * BLOCK_SIZE;
  for (long long i = static_cast<long long>(blockIdx.x) * BLOCK_SIZE + threadIdx.x; i < *count; i += threads)
    output[i] = mapped(output[i]);
}

// First of the three kernels.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    count_kept(const float* input, long long* counts, long long size) {
  Pack packs[vectors];
  int ranks[vectors];
  load_items(packs, input, blockIdx.x, size);
  const Prefix prefix = prefix_of_warps(rank_in_warp(ranks, packs));
  if (threadIdx.x == 0) counts[blockIdx.x] = prefix.total;
}

// Second, one warp: each tile's count becomes the sum of those before it.
extern "C" __global__ void __launch_bounds__(32) scan_counts(long long* counts, int tiles) {
  const int lane = static_cast<int>(threadIdx.x);
  long long before = 0;
  for (int first = 0; first < tiles; first += warp) {
    const long long mine = first + lane < tiles ? counts[first + lane] : 0;
    const long long sum = warp_inclusive_sum(mine);
    if (first + lane < tiles) counts[first + lane] = before + sum - mine;
    before += __shfl_sync(0xffffffffu, sum, warp - 1);
  }
}
