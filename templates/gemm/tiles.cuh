// How a block's tiles lie in shared memory, which part of them each thread works on, and how they get there. The
// parameters are described in kernel.cu.
#pragma once

#include <warptune/device/arithmetic.cuh>
#include <warptune/device/async_copy.cuh>

using warptune::device::max_of;
using warptune::device::min_of;

// What the matrices are made of.
#ifndef ELEMENT
#define ELEMENT float
#endif
using Element = ELEMENT;

using warptune::device::commit_copies;
using warptune::device::wait_for_copies;

enum class LaneOrder { rows, zigzag };
enum class Layout { column, row };  // of A's tile: its columns are packed (k-major), or its rows, as in memory
enum class Copy { registers, async };
enum class Traversal { rows, columns, serpentine };

constexpr LaneOrder lane_order = LaneOrder::LANE_ORDER;
constexpr Layout a_layout = Layout::LAYOUT_A;
constexpr Copy copy = Copy::COPY;
constexpr Traversal traversal = Traversal::TRAVERSAL;

constexpr int slice_threads = (TILE_M / COARSENING_M) * (TILE_N / COARSENING_N);
constexpr int threads = slice_threads * SLICED_K;
constexpr int slice_k = TILE_K / SLICED_K;
constexpr int banks = 32;
constexpr int unroll = UNROLL;
constexpr int lanes_m = LANES_M;
constexpr int lanes_n = 32 / LANES_M;
constexpr int warp_m = lanes_m * COARSENING_M;
constexpr int warp_n = lanes_n * COARSENING_N;
constexpr int warps_n = TILE_N / warp_n;

// A thread's rows (columns) come in runs of neighbours that one 16-byte load fetches; runs of the warp's lanes
// interleave, so that such a load of a whole warp meets every bank once.
constexpr int run_m = a_layout == Layout::row ? 1 : (COARSENING_M % 4 == 0 ? 4 : COARSENING_M);
constexpr int run_n = COARSENING_N % 4 == 0 ? 4 : COARSENING_N;
// Steps along K that one fetch of A's fragment serves.
constexpr int k_step = a_layout == Layout::row ? 4 : 1;

// Which operands are transposed. A transposed B's tile is filled like A's, and does the same against bank conflicts.
#ifndef A_TRANSPOSED
#define A_TRANSPOSED 0
#endif
#ifndef B_TRANSPOSED
#define B_TRANSPOSED 0
#endif
constexpr int b_padding = B_TRANSPOSED ? PADDING_A : 0;
constexpr bool b_swizzled = B_TRANSPOSED && SWIZZLE_A;

constexpr int a_pitch = (a_layout == Layout::column ? TILE_M : TILE_K) + PADDING_A;
constexpr int a_tile = (a_layout == Layout::column ? TILE_K : TILE_M) * a_pitch;
constexpr int b_pitch = TILE_N + b_padding;
constexpr int b_tile = TILE_K * b_pitch;

template <int Width>
struct alignas(min_of(static_cast<int>(sizeof(Element)) * Width, 16)) Pack {
  Element at[Width];
};

// An element of C: a tile's first, or within a tile a thread's first.
struct Place {
  int row;
  int column;
};

__device__ inline Place place_in_block() {
  const int warp = static_cast<int>(threadIdx.x) % slice_threads / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const bool zigzag = lane_order == LaneOrder::zigzag;
  const int lane_m = zigzag ? lane / 2 / lanes_n * 2 + lane % 2 : lane / lanes_n;
  const int lane_n = zigzag ? lane / 2 % lanes_n : lane % lanes_n;
  return {warp / warps_n * warp_m + lane_m * run_m, warp % warps_n * warp_n + lane_n * run_n};
}

__host__ __device__ constexpr int row_offset(int i) {
  return i / run_m * (lanes_m * run_m) + i % run_m;
}
__host__ __device__ constexpr int column_offset(int j) {
  return j / run_n * (lanes_n * run_n) + j % run_n;
}

// Where A's tile keeps element (row, k). Swizzled, groups of four neighbours trade places, differently for what a warp
// stores (transposed) or loads (rows) at once.
__device__ inline int place_of_a(int row, int k) {
  if constexpr (a_layout == Layout::column) {
    constexpr int step = max_of(4, VECTOR_WIDTH * banks / TILE_K);
    const int permutation = SWIZZLE_A ? k / VECTOR_WIDTH * step % min_of(banks, TILE_M) : 0;
    return k * a_pitch + (row ^ permutation);
  } else {
    constexpr int rows_per_permutation = max_of(1, banks / TILE_K);
    const int permutation = SWIZZLE_A ? row / rows_per_permutation * 4 % min_of(banks, TILE_K) : 0;
    return row * a_pitch + (k ^ permutation);
  }
}

// The element of B's tile that lies `offset` columns, a distance known at compile time, to the right of (k, column).
template <class Float>
__device__ inline Float* in_tile_of_b(Float* tile, int k, int column, int offset) {
  if constexpr (b_swizzled) {
    constexpr int step = max_of(4, VECTOR_WIDTH * banks / TILE_K);
    return tile + k * b_pitch + ((column + offset) ^ (k / VECTOR_WIDTH * step % min_of(banks, TILE_N)));
  } else {
    return tile + k * b_pitch + column + offset;
  }
}

template <int Width>
__device__ inline Pack<Width> load(const Element* source) {
  return *reinterpret_cast<const Pack<Width>*>(source);
}

// Starts copying Width elements to shared memory, or zeros if they lie outside the matrix. One copy moves 16 bytes at
// most.
template <int Width>
__device__ inline void copy_async(Element* target, const Element* source, bool inside) {
  constexpr int size = sizeof(Pack<Width>) < 16 ? sizeof(Pack<Width>) : 16;
  warptune::device::copy_async_or_zero<size>(target, source, inside);
  constexpr int rest = Width - size / static_cast<int>(sizeof(Element));
  if constexpr (rest > 0) copy_async<rest>(target + (Width - rest), source + (Width - rest), inside);
}

// A thread's accesses of Width floats to a Rows x Columns tile. Access i lies a distance that is known at compile time
// from access 0 (all numbers are powers of two).
template <int Rows, int Columns, int Width>
struct Share {
  static constexpr int per_row = Columns / Width;
  static constexpr int count = Rows * per_row / threads;

  __device__ static int row() { return static_cast<int>(threadIdx.x) / per_row; }
  __device__ static int column() { return static_cast<int>(threadIdx.x) % per_row * Width; }
  __host__ __device__ static constexpr int down(int i) { return i * threads / per_row; }
  __host__ __device__ static constexpr int across(int i) { return i * threads % per_row * Width; }
};

template <int Width>
__device__ inline Pack<Width> pack_of(const Element* values) {
  Pack<Width> pack;
#pragma unroll
  for (int j = 0; j < Width; ++j) pack.at[j] = values[j];
  return pack;
}
