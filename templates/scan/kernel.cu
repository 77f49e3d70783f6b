// Prefix sums of 32-bit integers, inclusive or exclusive. A tile is what a block scans in one piece.
//
//   ALGORITHM          look_back: one pass, in which each block learns from those before it; three_kernels: the tiles'
//                      sums, a scan of these, the tiles' scans, which reads the input twice; look_ahead: look_back by
//                      persistent blocks, which read their next tiles while they work on one; domino: one pass, in
//                      which each block waits for its left neighbour alone; scan_add: the tiles' scans, a scan of their
//                      sums, which are added to the tiles (hierarchical.cuh); specialized: look_back by persistent
//                      blocks, whose warps read, add up, look back or scan (specialized.cuh)
//   BLOCK_SIZE         threads per block; specialized: threads that add up, and threads that scan
//   COARSENING         consecutive values a thread adds up in registers, without any communication
//   VECTOR_WIDTH       values moved by one memory instruction
//   EXCHANGE           direct: a thread reads its own values; warp, block: neighbours are read together and then change
//                      hands in shared memory, within a warp or the block
//   PADDING            empty vectors behind each 32 words of shared memory, against bank conflicts
//   LEVELS             of scan_add: 2: a block scans the sums; 3: they are scanned as the values are
//   BLOCK_SCAN         kogge_stone, hillis_steele (the same with two buffers), brent_kung, brent_kung_divergent,
//                      blelloch: over all threads in shared memory; shuffle: warps first, in registers
//   LOOK_BACK_WINDOW   tiles that each lane looks back at at once: the window has 32 * LOOK_BACK_WINDOW tiles
//   TILE_ORDER         index: tiles are taken in the order of block indices, in which GPUs start blocks; ticket: in
//                      that of a counter, which guarantees that the blocks a block waits for are running
//   PREFETCH_TILES     tiles that persistent blocks read ahead; with 2, a tile's sum is published while they still work
//                      on the one before it
//   STAGES             of specialized: tiles that a block keeps in shared memory
//   CACHE_HINT         plain, or streaming: no line will be used again
//   MIN_BLOCKS_PER_SM  blocks a multiprocessor must hold at once: bounds the registers of a thread; so many persistent
//                      blocks are launched
//
// Sources: Kirk & Hwu, "Programming Massively Parallel Processors", ch. 11 (Kogge-Stone, Brent-Kung, three phases);
// Blelloch, "Prefix Sums and Their Applications" (1990); Harris, Sengupta & Owens, "Parallel Prefix Sum (Scan) with
// CUDA" (GPU Gems 3, ch. 39) for padding; Merrill & Garland, "Single-pass Parallel Prefix Scan with Decoupled
// Look-back" (NVIDIA, 2016).

#include "ahead.cuh"
#include "domino.cuh"
#include "hierarchical.cuh"
#include "specialized.cuh"
#include "tile.cuh"

using warptune::device::own_sum;
using warptune::device::sum_from_start;
using warptune::device::take_ticket;

enum class Algorithm { look_back, three_kernels, look_ahead, domino, scan_add, specialized };
enum class TileOrder { index, ticket };
constexpr Algorithm algorithm = Algorithm::ALGORITHM;
constexpr TileOrder tile_order = TileOrder::TILE_ORDER;

__device__ inline long long tile_of_block(unsigned* ticket) {
  if constexpr (algorithm == Algorithm::three_kernels || tile_order == TileOrder::index) return blockIdx.x;
  return take_ticket(ticket);
}

// Tells the others this tile's sum: the first of the two states that a tile publishes.
__device__ inline void announce(State* states, long long tile, Value tile_sum) {
  if (threadIdx.x == 0) Tiles::publish(states, tile, tile == 0 ? sum_from_start : own_sum, tile_sum);
}

// Waits for what the others have told, and tells them the sum up to this tile's end.
__device__ inline Value sum_before_tile(State* states, long long tile, Value tile_sum) {
  __shared__ Value before;
  if constexpr (algorithm == Algorithm::domino) {
    if (threadIdx.x == 0) before = sum_from_left_neighbour(states, tile, tile_sum);
  } else if (threadIdx.x < warp) {
    const Value sum = tile == 0 ? 0 : Tiles::look_back<LOOK_BACK_WINDOW>(states, tile);
    if (threadIdx.x == 0) {
      if (tile > 0) Tiles::publish(states, tile, sum_from_start, sum + tile_sum);
      before = sum;
    }
  }
  __syncthreads();
  return before;
}

// input, output: `size` values, aligned to 16 bytes; exclusive: 0 or 1. look_back: a ticket and a state per
// tile, all zero; three_kernels: what lies before each tile. Dynamic shared memory: the exchange's.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE, MIN_BLOCKS_PER_SM)
    scan(const Value* __restrict__ input, Value* __restrict__ output, unsigned* ticket, State* states,
         const Value* before_tiles, long long size, int exclusive) {
  extern __shared__ int4 dynamic_shared[];
  Pack* storage = reinterpret_cast<Pack*>(dynamic_shared);
  const long long tile = tile_of_block(ticket);
  const int count = count_in_tile(tile, size);
  Value items[COARSENING];
  if (count == tile_size) {
    load_tile<true>(items, input + tile * tile_size, count, storage);
  } else {
    load_tile<false>(items, input + tile * tile_size, count, storage);
  }
  const Prefix prefix = block_scan(sum_of(items));
  if constexpr (algorithm == Algorithm::look_back) announce(states, tile, prefix.total);
  constexpr bool one_pass = algorithm == Algorithm::look_back || algorithm == Algorithm::domino;
  const Value before = one_pass ? sum_before_tile(states, tile, prefix.total) : before_tiles[tile];
  scan_items(items, before + prefix.before, exclusive != 0);
  if (count == tile_size) {
    store_tile<true>(items, output + tile * tile_size, count, storage);
  } else {
    store_tile<false>(items, output + tile * tile_size, count, storage);
  }
}

// A persistent block takes tile after tile, as tickets tell it, so that the blocks it waits for are at work. It reads
// tiles ahead; of two, it announces the next one's sum before it looks back from this one, so that others find it
// there.
class PersistentBlock {
 public:
  __device__ PersistentBlock(const Value* input, Value* output, unsigned* ticket, State* states, long long size,
                             unsigned tiles, Pack* storage)
      : input_(input), output_(output), ticket_(ticket), states_(states), size_(size), tiles_(tiles) {
#pragma unroll
    for (int i = 0; i <= PREFETCH_TILES; ++i) buffers_[i] = storage + i * tile_places;
  }

  __device__ void scan_all(bool exclusive) {
    __shared__ unsigned following;
    Prefix prefix = begin();
    while (mine_[0] < tiles_) {
      start(PREFETCH_TILES);
      unsigned ticket = 0;
      if (threadIdx.x == 0) ticket = atomicAdd(ticket_, 1u);
      wait_for_tile<1>();
      Value items[COARSENING];
      const Prefix summed = sum_tile(PREFETCH_TILES - 1, items);
      if constexpr (PREFETCH_TILES == 1) prefix = summed;
      if (threadIdx.x == 0) following = ticket;
      const Value before = sum_before_tile(states_, mine_[0], prefix.total);
      if constexpr (PREFETCH_TILES > 1) take_items(items, buffers_[0]);
      scan_items(items, before + prefix.before, exclusive);
      finish(items);
      prefix = summed;
      move_on(following);
    }
  }

 private:
  // Takes the first tickets and tiles. When the first tile is there every block has its first ticket: none waits long
  // for a tile that another will come to later.
  __device__ Prefix begin() {
    mine_[0] = take_ticket(ticket_);
    start(0);
    wait_for_tile<0>();
    Prefix prefix{};
    Value items[COARSENING];
    if constexpr (PREFETCH_TILES > 1) prefix = sum_tile(0, items);
#pragma unroll
    for (int i = 1; i <= PREFETCH_TILES; ++i) {
      __syncthreads();
      mine_[i] = take_ticket(ticket_);
      if (i < PREFETCH_TILES) start(i);
    }
    return prefix;
  }

  __device__ void start(int i) const {
    const long long first = static_cast<long long>(mine_[i]) * tile_size;
    start_tile(input_ + first, count_in_tile(mine_[i], size_), buffers_[i]);
  }

  __device__ Prefix sum_tile(int i, Value (&items)[COARSENING]) const {
    take_items(items, buffers_[i]);
    const Prefix prefix = block_scan(sum_of(items));
    if (mine_[i] < tiles_) announce(states_, mine_[i], prefix.total);
    return prefix;
  }

  __device__ void finish(const Value (&items)[COARSENING]) const {
    const int count = count_in_tile(mine_[0], size_);
    Value* target = output_ + static_cast<long long>(mine_[0]) * tile_size;
    if (count == tile_size) {
      store_tile<true>(items, target, count, buffers_[0]);
    } else {
      store_tile<false>(items, target, count, buffers_[0]);
    }
    wait_for_segment();  // all have read what another tile will overwrite
  }

  __device__ void move_on(unsigned following) {
    Pack* const free = buffers_[0];
#pragma unroll
    for (int i = 0; i < PREFETCH_TILES; ++i) {
      mine_[i] = mine_[i + 1];
      buffers_[i] = buffers_[i + 1];
    }
    mine_[PREFETCH_TILES] = following;
    buffers_[PREFETCH_TILES] = free;
  }

  const Value* input_;
  Value* output_;
  unsigned* ticket_;
  State* states_;
  long long size_;
  unsigned tiles_;
  unsigned mine_[PREFETCH_TILES + 1];  // tiles, the one at work first,
  Pack* buffers_[PREFETCH_TILES + 1];  // and where they are in shared memory
};

// As `scan`, of `tiles` tiles, by any number of blocks. Dynamic shared memory: that of PREFETCH_TILES + 1 exchanges.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE, MIN_BLOCKS_PER_SM)
    scan_ahead(const Value* __restrict__ input, Value* __restrict__ output, unsigned* ticket, State* states,
               long long size, int tiles, int exclusive) {
  extern __shared__ int4 dynamic_shared[];
  if constexpr (algorithm == Algorithm::look_ahead)
    PersistentBlock(input, output, ticket, states, size, tiles, reinterpret_cast<Pack*>(dynamic_shared))
        .scan_all(exclusive != 0);
}

// As `scan`, of `tiles` tiles, by any number of blocks. Dynamic shared memory: STAGES tiles.
extern "C" __global__ void __launch_bounds__(specialists, MIN_BLOCKS_PER_SM)
    scan_specialized(const Value* __restrict__ input, Value* __restrict__ output, unsigned* ticket, State* states,
                     long long size, int tiles, int exclusive) {
  extern __shared__ int4 dynamic_shared[];
  if constexpr (algorithm == Algorithm::specialized)
    scan_by_specialists(input, output, ticket, states, size, static_cast<unsigned>(tiles), exclusive != 0,
                        reinterpret_cast<Value*>(dynamic_shared));
}

// First of the three kernels. Sums have no order: neighbours are read together and stay where they are.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE) sum_tiles(const Value* input, Value* sums, long long size) {
  const int count = count_in_tile(blockIdx.x, size);
  const Value* tile = input + static_cast<long long>(blockIdx.x) * tile_size;
  Value sum = 0;
#pragma unroll
  for (int i = 0; i < vectors; ++i) {
    const int first = (i * BLOCK_SIZE + static_cast<int>(threadIdx.x)) * VECTOR_WIDTH;
    const Pack pack = count == tile_size ? load<true>(tile, first, count) : load<false>(tile, first, count);
#pragma unroll
    for (int j = 0; j < VECTOR_WIDTH; ++j) sum += pack.at[j];
  }
  const Prefix prefix = block_scan(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = prefix.total;
}

// Second, one block: each tile's sum becomes the sum of those before it. Each thread takes eight at a time.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE) scan_sums(Value* sums, int count) {
  constexpr int each = 8;
  Value before = 0;
  for (int first = 0; first < count; first += each * BLOCK_SIZE) {
    const int mine = first + static_cast<int>(threadIdx.x) * each;
    Value items[each];
    Value sum = 0;
#pragma unroll
    for (int i = 0; i < each; ++i) sum += items[i] = mine + i < count ? sums[mine + i] : 0;
    const Prefix prefix = block_scan(sum);
    Value running = before + prefix.before;
#pragma unroll
    for (int i = 0; i < each; ++i) {
      if (mine + i < count) sums[mine + i] = running;
      running += items[i];
    }
    before += prefix.total;
    __syncthreads();
  }
}
