// Inclusive sums along each row: y[r][c] = x[r][0] + ... + x[r][c], added up as floats. A tile is what the threads of a
// row scan in one piece.
//
//   ALGORITHM         rows: THREADS_PER_ROW threads go along a row, tile after tile; look_back: a block per tile, which
//                     adds the sums of the tiles before it in its row, for few long rows
//   BLOCK_SIZE        threads per block
//   THREADS_PER_ROW   threads that share a row; a block has BLOCK_SIZE / THREADS_PER_ROW rows at once
//   VECTOR_WIDTH      elements moved by one memory instruction (rows must begin aligned: otherwise fewer)
//   COARSENING        vectors of a tile that each thread has, a warp's width apart
//   PREFETCH          whether the row's next tile is read before this one is summed
//   BLOCKS_PER_SM     of rows: 0: a block for each group of rows; else so many per multiprocessor go from group to group
//   CACHE_HINT_LOAD, CACHE_HINT_STORE
//
// A warp has a contiguous part of a tile and reads neighbours together. It scans one vector of each thread by shuffles;
// there are five of them for each vector, few beside its way through memory, so that nothing has to change hands in
// shared memory as it does in `scan`. Warps tell each other their sums.
//
// With look_back, a tile adds the own sums of all tiles before it, always in the same order: rounding then repeats bit
// for bit. Sums up to a tile's end, as decoupled look-back publishes them, would be fewer to read and differ from run
// to run.
//
// Sources: Kogge & Stone (1973) for the scan of a warp; Merrill & Garland, "Single-pass Parallel Prefix Scan with
// Decoupled Look-back" (NVIDIA, 2016) for tiles that publish their sums; Yan, Long & Zhang, "StreamScan" (PPoPP 2013).

#include <warptune/device/look_back.cuh>
#include <warptune/device/numbers16.cuh>
#include <warptune/device/vectors.cuh>
#include <warptune/device/warp.cuh>

using warptune::device::CacheHint;
using warptune::device::from_float;
using warptune::device::load_pack;
using warptune::device::NumberFormat;
using warptune::device::Pack;
using warptune::device::store_pack;
using warptune::device::StoredNumber;
using warptune::device::take_ticket;
using warptune::device::to_float;
using warptune::device::warp_size;
using warptune::device::warp_sum;
using warptune::device::whole_warp;

enum class Algorithm { rows, look_back };

constexpr NumberFormat format = NumberFormat::FORMAT;
constexpr Algorithm algorithm = Algorithm::ALGORITHM;
constexpr CacheHint load_hint = CacheHint::CACHE_HINT_LOAD;
constexpr CacheHint store_hint = CacheHint::CACHE_HINT_STORE;
constexpr int width = ALIGNED_WIDTH;
constexpr int rows_per_block = BLOCK_SIZE / THREADS_PER_ROW;
constexpr int lanes = THREADS_PER_ROW < warp_size ? THREADS_PER_ROW : warp_size;  // of a warp, on one row
constexpr int warps = THREADS_PER_ROW / lanes;                                    // of a row
constexpr int step = lanes * width;      // elements from one vector of a thread to its next
constexpr int part = COARSENING * step;  // elements of a tile that a warp has
constexpr int tile_size = warps * part;

using Element = StoredNumber<format>::type;
using Vector = Pack<Element, width>;

// A thread's vectors of a tile, as they are stored.
struct Loaded {
  Vector at[COARSENING];
};

// The same as floats.
struct Sums {
  float at[COARSENING][width];
};

// The place in a tile of this thread's first vector.
__device__ inline int first_in_tile() {
  const int thread = static_cast<int>(threadIdx.x % THREADS_PER_ROW);
  return thread / lanes * part + thread % lanes * width;
}

// The vectors from `column` on; zeros behind the row's end.
__device__ inline Loaded load(const Element* row, int column, int columns) {
  Loaded loaded;
#pragma unroll
  for (int i = 0; i < COARSENING; ++i)
    loaded.at[i] = column + i * step < columns ? load_pack<width, load_hint>(row + column + i * step) : Vector{};
  return loaded;
}

// Sums over this lane and those of its row before it.
__device__ inline float inclusive_sum(float value) {
  const int lane = static_cast<int>(threadIdx.x) % lanes;
#pragma unroll
  for (int distance = 1; distance < lanes; distance *= 2) {
    const float left = __shfl_up_sync(whole_warp, value, distance, lanes);
    if (lane >= distance) value += left;
  }
  return value;
}

// Elements become sums from the beginning of the warp's part on; returns the part's sum.
__device__ inline float scan_part(Sums& sums, const Loaded& loaded) {
  float before = 0.0f;
#pragma unroll
  for (int i = 0; i < COARSENING; ++i) {
    float own = 0.0f;
#pragma unroll
    for (int j = 0; j < width; ++j) sums.at[i][j] = own += to_float<format>(loaded.at[i].at[j]);
    const float up_to = inclusive_sum(own);
    const float left = __shfl_up_sync(whole_warp, up_to, 1, lanes);
    const float offset = threadIdx.x % lanes == 0 ? before : before + left;
#pragma unroll
    for (int j = 0; j < width; ++j) sums.at[i][j] += offset;
    before += __shfl_sync(whole_warp, up_to, lanes - 1, lanes);
  }
  return before;
}

struct Neighbours {
  float before;  // the sum of the parts before this warp's in the tile
  float tile;    // that of all
};

// The row's warps tell each other their sums. All threads of the block call together. The places alternate: who writes
// them again has passed the barrier of the call between.
__device__ inline Neighbours exchange(float sum_of_part, int turn) {
  if constexpr (warps == 1) return {0.0f, sum_of_part};
  __shared__ float parts[2][BLOCK_SIZE / warp_size];
  const int warp = static_cast<int>(threadIdx.x / warp_size), lane = static_cast<int>(threadIdx.x % warp_size);
  if (lane == 0) parts[turn][warp] = sum_of_part;
  __syncthreads();
  const float up_to_lane = lane < warps ? parts[turn][warp / warps * warps + lane] : 0.0f;
  float up_to = up_to_lane;
#pragma unroll
  for (int distance = 1; distance < warps; distance *= 2) {
    const float left = __shfl_up_sync(whole_warp, up_to, distance);
    if (lane >= distance) up_to += left;
  }
  const int own = warp % warps;
  const float left = __shfl_sync(whole_warp, up_to, own > 0 ? own - 1 : 0);
  return {own > 0 ? left : 0.0f, __shfl_sync(whole_warp, up_to, warps - 1)};
}

__device__ inline void store(Element* row, const Sums& sums, float before, int column, int columns) {
#pragma unroll
  for (int i = 0; i < COARSENING; ++i) {
    Vector result;
#pragma unroll
    for (int j = 0; j < width; ++j) result.at[j] = from_float<format>(before + sums.at[i][j]);
    if (column + i * step < columns) store_pack<store_hint>(row + column + i * step, result);
  }
}

// A row by its threads, tile after tile. Behind the last row the last is read again, and not written.
__device__ inline void scan_row(const Element* x, Element* y, int columns, bool there) {
  int column = first_in_tile();
  Loaded next = load(x, column, columns);
  float before = 0.0f;
  int turn = 0;
#pragma unroll 1
  for (int tile = 0; tile < columns; tile += tile_size, column += tile_size) {
    const Loaded loaded = next;
    if constexpr (PREFETCH) next = load(x, column + tile_size, columns);
    Sums sums;
    const Neighbours neighbours = exchange(scan_part(sums, loaded), turn);
    store(y, sums, before + neighbours.before, column, there ? columns : 0);
    before += neighbours.tile;
    turn = 1 - turn;
    if constexpr (!PREFETCH) {
      if (tile + tile_size < columns) next = load(x, column + tile_size, columns);
    }
  }
  if constexpr (warps > 1) __syncthreads();  // the last tile's sums have been read before another row's come
}

// A tile's sum with a mark that it is there, in one word that is written and read whole.
using State = unsigned long long;

// The sum of the tiles before `tile` in its row, for the warp that calls: each lane reads its states in turn.
__device__ inline float sum_before(const volatile State* states, int tile) {
  float sum = 0.0f;
  for (int i = static_cast<int>(threadIdx.x % warp_size); i < tile; i += warp_size) {
    State state;
    do state = states[i];
    while (state == 0);
    sum += __uint_as_float(static_cast<unsigned>(state));
  }
  __syncwarp();
  return warp_sum(sum);
}

// A tile by its block. states: one for each tile of the row, 0 before it is there.
__device__ inline void scan_tile(const Element* x, Element* y, State* states, int tile, int columns) {
  __shared__ float before;
  const int column = tile * tile_size + first_in_tile();
  Sums sums;
  const Neighbours neighbours = exchange(scan_part(sums, load(x, column, columns)), 0);
  if (threadIdx.x == 0) *const_cast<volatile State*>(states + tile) = State{1} << 32 | __float_as_uint(neighbours.tile);
  if (threadIdx.x < warp_size) {
    const float sum = sum_before(states, tile);
    if (threadIdx.x == 0) before = sum;
  }
  __syncthreads();
  store(y, sums, before + neighbours.before, column, columns);
}

// x, y: rows * columns elements, aligned to 16 bytes. look_back: a ticket and a state for each tile, all zero.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    cumsum(const Element* __restrict__ x, Element* __restrict__ y, unsigned* ticket, State* states, int rows,
           int columns) {
  if constexpr (algorithm == Algorithm::look_back) {
    // Tiles in the order in which blocks come to run: those that a block waits for are running.
    const unsigned tiles = static_cast<unsigned>(columns - 1) / tile_size + 1;
    const unsigned mine = take_ticket(ticket), row = mine / tiles;
    const long long offset = static_cast<long long>(row) * columns;
    scan_tile(x + offset, y + offset, states + row * tiles, static_cast<int>(mine % tiles), columns);
  } else {
    const int row_of_block = static_cast<int>(threadIdx.x / THREADS_PER_ROW);
    for (int group = static_cast<int>(blockIdx.x) * rows_per_block; group < rows;
         group += static_cast<int>(gridDim.x) * rows_per_block) {
      const long long offset = static_cast<long long>(min(group + row_of_block, rows - 1)) * columns;
      scan_row(x + offset, y + offset, columns, group + row_of_block < rows);
    }
  }
}
