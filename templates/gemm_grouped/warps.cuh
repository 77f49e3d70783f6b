// The products by warps. The parameters are described in kernel.cu.
#pragma once

#include "fusion.cuh"
#include "search.cuh"
#include "warp_tiles.cuh"

// The whole block works on the same tile: one thread draws its number for all.
__device__ inline int number_of_block(int number, unsigned* tickets) {
  if constexpr (tile_order == TileOrder::index) return number_after(number, tickets);
  __shared__ int drawn;
  if (threadIdx.x == 0) drawn = number_after(number, tickets);
  __syncthreads();
  const int next = drawn;
  __syncthreads();
  return next;
}

__device__ inline void multiply_and_write(const ExpertTile& tile, SharedAddress shared, const Element* a,
                                          const Element* b, Element* d, int n, int k) {
  const Place warp = warp_in_block();
  const Element* weights = b + static_cast<long long>(tile.expert) * k * n;
  Sums sums = {};
  multiply_tile(sums, shared, a, weights, tile.at, warp, tile.end, n, k);
  const Fused to{d, nullptr, nullptr, tile.end, n, 1.0f};
  write_fused<tiles_m, tiles_n>(to, {tile.at.row + warp.row, tile.at.column + warp.column}, 16,
                                [&](int i, int j, int number) { return sums[i][j][number]; });
}

// a: tokens x k, b: experts x k x n, d: tokens x n; row-major, aligned to 16 bytes; offsets: experts + 1, from 0 to
// tokens. Any one-dimensional grid of persistent blocks, else a block for each tile that there may be; dynamic shared
// memory for STAGES pairs of tiles and, behind them, experts + 1 numbers if prefix sums are searched. tickets: 0, and 0
// afterwards.
extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS_PER_SM)
    gemm_grouped_mma(const Element* __restrict__ a, const Element* __restrict__ b, Element* __restrict__ d,
                     const int* __restrict__ offsets, unsigned* __restrict__ tickets, int experts, int n, int k) {
  extern __shared__ uint4 shared_storage[];
  const Experts all{offsets, experts, n};
  int* starts = reinterpret_cast<int*>(shared_storage) + STAGES * stage_bytes / 4;
  if (threadIdx.x < 32) prepare_search(all, starts);
  if constexpr (group_search == GroupSearch::prefix_sums) __syncthreads();
  Search search(all, starts);
  ExpertTile tile;
  int number = static_cast<int>(blockIdx.x);
  while (search.find(number, tile)) {
    multiply_and_write(tile, shared_address(shared_storage), a, b, d, n, k);
    if constexpr (!persistent) return;
    // The ring's last copies, of what lies behind K, and its last reads are over.
    wait_for_copies<0>();
    __syncthreads();
    number = number_of_block(number, tickets);
  }
  if (threadIdx.x == 0) leave_tickets(number, search.count(), tickets);
}
