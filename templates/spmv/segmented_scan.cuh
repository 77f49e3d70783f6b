// The product as a chain of primitives, each a launch: gather x by the nonzeros' columns, map the product over both,
// and a segmented inclusive sum scan, whose segments are the rows; a row's sum is the last of its segment. (Blelloch,
// "Vector Models for Data-Parallel Computing", 1990.) Between launches everything goes through memory: the chain shows
// what a fused kernel saves.
#pragma once

#include "access.cuh"

// Consecutive elements: the sum from the last head among them on, or of all of them where there is none.
struct Segment {
  float sum;
  int has_head;
};

__device__ inline Segment joined(const Segment& left, const Segment& right) {
  return {right.has_head != 0 ? right.sum : left.sum + right.sum, left.has_head | right.has_head};
}

// Hillis and Steele's scan over the block's threads, in two buffers that take turns. Returns the segment that ends with
// the thread's own element. All of the block's threads call this, and meet before they do so again.
__device__ inline Segment block_scan(Segment own) {
  __shared__ Segment buffers[2][BLOCK_SIZE];
  const int thread = static_cast<int>(threadIdx.x);
  int current = 0;
  buffers[current][thread] = own;
  __syncthreads();
  for (int offset = 1; offset < BLOCK_SIZE; offset *= 2) {
    if (thread >= offset) own = joined(buffers[current][thread - offset], own);
    current = 1 - current;
    buffers[current][thread] = own;
    __syncthreads();
  }
  return own;
}

// A block scans a tile of BLOCK_SIZE elements in place, and leaves the segment that the whole tile is.
__device__ inline void scan_tile(float* products, const unsigned char* heads, Segment* tiles, int count) {
  const int i = static_cast<int>(blockIdx.x) * BLOCK_SIZE + static_cast<int>(threadIdx.x);
  const Segment sum = block_scan(i < count ? Segment{products[i], heads[i]} : Segment{0.0f, 0});
  if (i < count) products[i] = sum.sum;
  if (threadIdx.x == BLOCK_SIZE - 1) tiles[blockIdx.x] = sum;
}

// One block scans the tiles in place: each becomes the segment from the beginning to its end.
__device__ inline void scan_tiles(Segment* tiles, int count) {
  __shared__ Segment last;
  Segment before{0.0f, 0};
  for (int first = 0; first < count; first += BLOCK_SIZE) {
    const int i = first + static_cast<int>(threadIdx.x);
    const Segment sum = joined(before, block_scan(i < count ? tiles[i] : Segment{0.0f, 0}));
    if (i < count) tiles[i] = sum;
    if (threadIdx.x == BLOCK_SIZE - 1) last = sum;
    __syncthreads();
    before = last;
    __syncthreads();
  }
}

// A row whose segment began in a tile before the one that it ends in lacks what came before.
__device__ inline float last_of_segment(const float* scanned, const Segment* tiles, int first, int end) {
  if (first == end) return 0.0f;
  const int own_tile = (end - 1) / BLOCK_SIZE;
  const float sum = scanned[end - 1];
  return first < own_tile * BLOCK_SIZE ? tiles[own_tile - 1].sum + sum : sum;
}

constexpr bool by_scan = algorithm == Algorithm::segmented_scan;

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    gather_x(const int* __restrict__ columns, const float* __restrict__ x, float* __restrict__ gathered, int count) {
  if constexpr (!by_scan) return;
  const int first = static_cast<int>(blockIdx.x) * tile + static_cast<int>(threadIdx.x);
#pragma unroll
  for (int item = 0; item < COARSENING; ++item) {
    const int i = first + item * BLOCK_SIZE;
    if (i < count) gathered[i] = read_often(x + read_once(columns + i));
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    map_product(const float* __restrict__ values, float* __restrict__ products, int count) {
  if constexpr (!by_scan) return;
  const int first = static_cast<int>(blockIdx.x) * tile + static_cast<int>(threadIdx.x);
#pragma unroll
  for (int item = 0; item < COARSENING; ++item) {
    const int i = first + item * BLOCK_SIZE;
    if (i < count) products[i] *= read_once(values + i);
  }
}

// heads: zero before. A thread per row.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    mark_heads(const int* __restrict__ starts, unsigned char* __restrict__ heads, int rows) {
  const int row = static_cast<int>(blockIdx.x) * BLOCK_SIZE + static_cast<int>(threadIdx.x);
  if (by_scan && row < rows && starts[row] < starts[row + 1]) heads[starts[row]] = 1;
}

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    scan_products(float* __restrict__ products, const unsigned char* __restrict__ heads, Segment* __restrict__ tiles,
                  int count) {
  if constexpr (by_scan) scan_tile(products, heads, tiles, count);
}

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE) scan_tile_sums(Segment* __restrict__ tiles, int count) {
  if constexpr (by_scan) scan_tiles(tiles, count);
}

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    take_last(const int* __restrict__ starts, const float* __restrict__ scanned, const Segment* __restrict__ tiles,
              float* __restrict__ y, int rows) {
  const int row = static_cast<int>(blockIdx.x) * BLOCK_SIZE + static_cast<int>(threadIdx.x);
  if (by_scan && row < rows) y[row] = last_of_segment(scanned, tiles, starts[row], starts[row + 1]);
}
