// Sums of 32-bit integers that start anew at each segment's head, inclusive or exclusive (KIND). Heads are given as a
// byte for each element, as an identifier that changes where a segment begins, or as a list of the positions where
// segments start (SEGMENTS). A tile is what a block scans in one piece.
//
//   ALGORITHM          look_back: one pass, in which each block learns what those before it carry over; three_kernels:
//                      the tiles' carries, a scan of these, the tiles' scans, which reads the input twice
//   BLOCK_SIZE         threads per block
//   COARSENING         consecutive elements a thread scans in registers, its heads in the bits of one word
//   VECTOR_WIDTH       values moved by one memory instruction
//   EXCHANGE           direct: a thread reads its own elements; warp: neighbours are read together and then change
//                      hands in shared memory
//   PADDING            empty vectors behind each 32 words of shared memory, against bank conflicts
//   BLOCK_SCAN         kogge_stone, brent_kung: over all threads in shared memory; shuffle, ballot: warps first, in
//                      registers, with heads shuffled along or found once
//   LOOK_BACK_WINDOW   tiles that each lane looks back at at once: the window has 32 * LOOK_BACK_WINDOW tiles
//   TILE_ORDER         index: tiles go to blocks by their index, in which order GPUs start blocks; ticket: by a
//                      counter, which guarantees that the blocks a block waits for are running
//   MIN_BLOCKS_PER_SM  blocks a multiprocessor must hold at once: bounds the registers of a thread
//
// Sources: Schwartz, "Ultracomputers" (1980) and Blelloch, "Prefix Sums and Their Applications" (1990) for the
// operator; Sengupta, Harris, Zhang & Owens, "Scan Primitives for GPU Computing" (2007); Sengupta, Harris, Garland &
// Owens, "Efficient Parallel Scan Algorithms for GPUs" (NVIDIA, 2008); Kirk & Hwu, "Programming Massively Parallel
// Processors", ch. 11; Merrill & Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back" (NVIDIA, 2016).

#include <warptune/device/look_back.cuh>

#include "tile.cuh"

using warptune::device::own_sum;
using warptune::device::sum_from_start;
using warptune::device::take_ticket;

enum class Algorithm { look_back, three_kernels };
enum class TileOrder { index, ticket };
constexpr Algorithm algorithm = Algorithm::ALGORITHM;
constexpr TileOrder tile_order = TileOrder::TILE_ORDER;

using Tiles = warptune::device::TileSums<Value>;
using State = Tiles::State;

enum class SegmentsBy { flags, identifiers, starts };
enum class Kind { inclusive, exclusive };
constexpr SegmentsBy segments_by = SegmentsBy::SEGMENTS;
constexpr bool exclusive = Kind::KIND == Kind::exclusive;

struct Segments {
  const unsigned char* flags;
  const int* ids;
  const unsigned* starts;
  const long long* start_count;

  __device__ unsigned heads(long long tile_begin, int count, Pack* storage) const {
    if constexpr (segments_by == SegmentsBy::flags) return heads_from_flags(flags + tile_begin, count);
    if constexpr (segments_by == SegmentsBy::starts) return heads_from_starts(starts, *start_count, tile_begin);
    return heads_from_ids(ids, tile_begin, count, storage);
  }
};

__device__ inline long long tile_of_block(unsigned* ticket) {
  if constexpr (algorithm == Algorithm::three_kernels || tile_order == TileOrder::index) return blockIdx.x;
  return take_ticket(ticket);
}

__device__ inline int count_in_tile(long long tile, long long size) {
  const long long rest = size - tile * tile_size;
  return rest < tile_size ? static_cast<int>(rest) : tile_size;
}

__device__ inline Part part_of(const Value (&items)[COARSENING], unsigned heads) {
  Value sum = 0;
#pragma unroll
  for (int i = 0; i < COARSENING; ++i) sum = items[i] + ((heads >> i & 1) != 0 ? 0 : sum);
  return {sum, heads != 0 ? 1u : 0u};
}

__device__ inline void scan_items(Value (&items)[COARSENING], unsigned heads, Value sum) {
#pragma unroll
  for (int i = 0; i < COARSENING; ++i) {
    const Value before = (heads >> i & 1) != 0 ? 0 : sum;
    sum = items[i] + before;
    items[i] = exclusive ? before : sum;
  }
}

// Tells the others what this tile carries over and waits for what is carried over to it. Segments make it easier than
// in a plain scan: a tile with a head anywhere knows its sum "from the start" without asking anybody, and ends the
// search of all tiles behind it.
__device__ inline Value carry_to_tile(State* states, long long tile, const Part& total) {
  __shared__ Value carry;
  if (threadIdx.x < warp) {
    const bool knows = tile == 0 || total.has_head != 0;
    if (threadIdx.x == 0) Tiles::publish(states, tile, knows ? sum_from_start : own_sum, total.sum);
    const Value sum = Tiles::look_back<LOOK_BACK_WINDOW>(states, tile);
    if (threadIdx.x == 0) {
      if (!knows) Tiles::publish(states, tile, sum_from_start, sum + total.sum);
      carry = sum;
    }
  }
  __syncthreads();
  return carry;
}

// input, output, ids: `size` integers, aligned to 16 bytes; flags: `size` bytes likewise, not zero at a head;
// starts: the heads' positions, `*start_count` of them, ascending.
// look_back: a ticket and a state per tile, all zero; three_kernels: what is carried over to each tile. Dynamic shared
// memory: the exchange's.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE, MIN_BLOCKS_PER_SM)
    segmented_scan(const Value* __restrict__ input, const unsigned char* __restrict__ flags,
                   const int* __restrict__ ids, const unsigned* __restrict__ starts, const long long* start_count,
                   Value* __restrict__ output, unsigned* ticket, State* states, const Value* carries, long long size) {
  extern __shared__ int4 dynamic_shared[];
  Pack* storage = reinterpret_cast<Pack*>(dynamic_shared);
  const long long tile = tile_of_block(ticket);
  const long long begin = tile * tile_size;
  const int count = count_in_tile(tile, size);
  Value items[COARSENING];
  load_items(items, input + begin, count, storage);
  const unsigned heads = Segments{flags, ids, starts, start_count}.heads(begin, count, storage);
  const Prefix prefix = block_scan(part_of(items, heads));
  const Value carry = algorithm == Algorithm::look_back ? carry_to_tile(states, tile, prefix.total) : carries[tile];
  scan_items(items, heads, prefix.before.sum + (prefix.before.has_head != 0 ? 0 : carry));
  store_items(items, output + begin, count, storage);
}

// First of the three kernels: each tile as a part.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    tile_parts(const Value* input, const unsigned char* flags, const int* ids, const unsigned* starts,
               const long long* start_count, Value* sums, unsigned* have_heads, long long size) {
  extern __shared__ int4 dynamic_shared[];
  Pack* storage = reinterpret_cast<Pack*>(dynamic_shared);
  const long long begin = static_cast<long long>(blockIdx.x) * tile_size;
  const int count = count_in_tile(blockIdx.x, size);
  Value items[COARSENING];
  load_items(items, input + begin, count, storage);
  const Prefix prefix =
      block_scan(part_of(items, Segments{flags, ids, starts, start_count}.heads(begin, count, storage)));
  if (threadIdx.x > 0) return;
  sums[blockIdx.x] = prefix.total.sum;
  have_heads[blockIdx.x] = prefix.total.has_head;
}

// Second, one block: each tile's sum becomes what is carried over to it. A thread takes several tiles at a time.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    scan_parts(Value* sums, const unsigned* have_heads, int count) {
  constexpr int each = 8;
  Part before;
  for (int first = 0; first < count; first += each * BLOCK_SIZE) {
    const int mine = first + static_cast<int>(threadIdx.x) * each;
    Part parts[each];
    Part all;
#pragma unroll
    for (int i = 0; i < each; ++i) {
      if (mine + i < count) parts[i] = {sums[mine + i], have_heads[mine + i]};
      all = joined(all, parts[i]);
    }
    const Prefix prefix = block_scan(all);
    Part running = joined(before, prefix.before);
#pragma unroll
    for (int i = 0; i < each; ++i) {
      if (mine + i < count) sums[mine + i] = running.sum;
      running = joined(running, parts[i]);
    }
    before = joined(before, prefix.total);
    __syncthreads();
  }
}
