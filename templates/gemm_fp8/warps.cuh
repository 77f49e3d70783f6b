// The product by four warps, two by two, out of tiles whose rows are padded by 16 bytes: the words that a warp reads
// lie in different banks. The parameters are described in kernel.cu.
#pragma once

#include "bytes.cuh"
#include "result.cuh"

constexpr int threads = 128;
constexpr int pitch = line_bytes + 16;
constexpr int stage_bytes = (TILE_M + TILE_N) * pitch;
constexpr int tiles_m = TILE_M / 2 / 16;
constexpr int tiles_n = TILE_N / 2 / 8;

using WarpSums = float[tiles_m][tiles_n][4];

// Rows of a matrix with K along them, as far as they lie within it; zeros elsewhere.
template <int Rows>
__device__ inline void copy_tile(SharedAddress tile, const unsigned char* matrix, int first, int rows, int from,
                                 int k) {
  for (int chunk = static_cast<int>(threadIdx.x); chunk < Rows * 8; chunk += threads) {
    const int row = chunk / 8;
    const int byte = chunk % 8 * 16;
    const unsigned char* source = matrix + static_cast<long long>(first + row) * k + from + byte;
#pragma unroll
    for (int part = 0; part < 16; part += K_ALIGNED)
      copy_async<K_ALIGNED>(tile + (row * pitch + byte + part), source + part,
                            first + row < rows && from + byte + part < k);
  }
}

struct Ring {
  SharedAddress shared;
  const unsigned char* a;
  const unsigned char* b;
  Place at;

  __device__ SharedAddress a_tile(int pair) const { return shared + pair % STAGES * stage_bytes; }
  __device__ SharedAddress b_tile(int pair) const { return a_tile(pair) + TILE_M * pitch; }
  // Past the end of K travel zeros.
  __device__ void send(int pair, const Tiles& tiles) const {
    copy_tile<TILE_M>(a_tile(pair), a, at.row, tiles.m, pair * TILE_K, tiles.k);
    copy_tile<TILE_N>(b_tile(pair), b, at.column, tiles.n, pair * TILE_K, tiles.k);
    commit_copies();
  }
};

// Where this lane reads of 16 or 8 rows.
__device__ inline int lane_offset() {
  return lane_of_warp() / 4 * pitch + lane_of_warp() % 4 * 4;
}

// a, b: where the warp's rows of A and of B begin.
__device__ inline void multiply_step(WarpSums& sums, SharedAddress a, SharedAddress b) {
  LeftBytes left[tiles_m];
#pragma unroll
  for (int i = 0; i < tiles_m; ++i) {
    const SharedAddress rows = a + (i * 16 * pitch + lane_offset());
    left[i] = left_bytes({load_shared(rows), load_shared(rows + 8 * pitch), load_shared(rows + 16),
                          load_shared(rows + (8 * pitch + 16))});
  }
#pragma unroll
  for (int j = 0; j < tiles_n; ++j) {
    const SharedAddress rows = b + (j * 8 * pitch + lane_offset());
    const RightBytes right = right_bytes({load_shared(rows), load_shared(rows + 16)});
#pragma unroll
    for (int i = 0; i < tiles_m; ++i) multiply_add_bytes(sums[i][j], left[i], right);
  }
}

__device__ inline void promote(WarpSums& sums, const WarpSums& part, const RowScales<tiles_m>& scale) {
#pragma unroll
  for (int i = 0; i < tiles_m; ++i)
#pragma unroll
    for (int j = 0; j < tiles_n; ++j)
#pragma unroll
      for (int l = 0; l < 4; ++l) scale.promote(sums[i][j][l], part[i][j][l], i, l / 2);
}

// warp: its first element within the tile.
__device__ inline void multiply_all(WarpSums& sums, const Ring& ring, const Result& to, const Tiles& tiles,
                                    Place warp) {
#pragma unroll
  for (int pair = 0; pair < STAGES - 1; ++pair) ring.send(pair, tiles);
  for (int pair = 0; pair < tiles.pairs(); ++pair) {
    RowScales<tiles_m> scale = {};
    scale.read(to, ring.at, ring.at.row + warp.row, 16, pair);
    wait_for_copies<STAGES - 2>();
    __syncthreads();
    ring.send(pair + STAGES - 1, tiles);
    WarpSums part = {};
#pragma unroll
    for (int byte = 0; byte < line_bytes; byte += 32)
      multiply_step(part, ring.a_tile(pair) + (warp.row * pitch + byte),
                    ring.b_tile(pair) + (warp.column * pitch + byte));
    promote(sums, part, scale);
  }
}

// a: m x k, b: n x k, d: m x n; row-major, aligned to 16 bytes. A block per tile of D, in a one-dimensional grid;
// dynamic shared memory for STAGES pairs of tiles.
extern "C" __global__ void __launch_bounds__(threads)
    gemm_fp8_mma(const unsigned char* __restrict__ a, const unsigned char* __restrict__ b,
                 unsigned short* __restrict__ d, const float* __restrict__ of_a, const float* __restrict__ of_b, int m,
                 int n, int k) {
  extern __shared__ uint4 shared_storage[];
  const int number = static_cast<int>(threadIdx.x) / 32;
  const Place warp{number / 2 * (TILE_M / 2), number % 2 * (TILE_N / 2)};
  const Place at = tile_of_block(static_cast<int>(blockIdx.x), m, n);
  const Result to{d, of_a, of_b, m, n, k};
  WarpSums sums = {};
  multiply_all(sums, {shared_address(shared_storage), a, b, at}, to, {m, n, k}, warp);
  write_sums<tiles_m, tiles_n>(to, {at.row + warp.row, at.column + warp.column}, 16,
                               [&](int i, int j, int number_of_four) { return sums[i][j][number_of_four]; });
}
