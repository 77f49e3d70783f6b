// The product by warpgroups (compute capability 9.0), as gemm_tensor's wgmma.cuh has it for 16 bits. The parameters are
// described in kernel.cu.
#pragma once

#include "result.cuh"
#include "stages.cuh"

constexpr int group_rows = TILE_M / CONSUMERS;
constexpr int pieces = group_rows / 64;  // multiplications below each other
constexpr int a_bytes = TILE_M * line_bytes;
constexpr int pair_bytes = a_bytes + TILE_N * line_bytes;
constexpr int step_bytes = 32;  // of each row, what one multiplication takes
// Columns of a tile that are promoted together: registers do not last for a second set of a wider tile's sums.
constexpr int part_columns = TILE_N < 128 ? TILE_N : 128;

static_assert(group_rows % 64 == 0, "a warpgroup multiplies 64 rows at once");

using Stages = StagesOf<a_bytes, pair_bytes, false>;
using GroupSums = float[pieces][TILE_N / 2];
using PartSums = float[pieces][part_columns / 2];

__device__ inline void send_all(const TensorMap& a, const TensorMap& b, const Tiles& tiles, const Stages& stages) {
  const int first = rank_in_cluster() * (TILE_N / CLUSTER_SIZE);  // of the rows of B that this block copies
  Turn turn;
  for (int tile = cluster_of_block(); tile < tiles.count(); tile += clusters()) {
    const Place at = tile_of_block(tile, tiles.m, tiles.n);
    for (int pair = 0; pair < tiles.pairs(); ++pair) {
      const Window full = stages.full(turn.stage);
      wait_for_phase(stages.free(turn.stage), turn.parity ^ 1);
      arrive_and_announce(full, pair_bytes);
      copy_box(stages.a(turn.stage), a, pair * TILE_K, at.row, full);
      copy_box_to_all(stages.b(turn.stage) + static_cast<unsigned>(first * line_bytes), b, pair * TILE_K,
                      at.column + first, full);
      turn.advance();
    }
  }
}

// Starts the multiplications of a pair; `a` is where the warpgroup's rows begin.
template <class Sums>
__device__ inline void multiply_pair(Pending& pending, Sums& sums, Window a, Window b, bool add) {
  pending.fence();
#pragma unroll
  for (int step = 0; step < line_bytes / step_bytes; ++step) {
    const unsigned along = static_cast<unsigned>(step * step_bytes);
#pragma unroll
    for (int piece = 0; piece < pieces; ++piece) {
      const Window rows = a + static_cast<unsigned>(piece * 64 * line_bytes);
      multiply<Format::float8_e4m3>(pending, sums[piece], descriptor(rows + along, 0, 1024),
                                    descriptor(b + along, 0, 1024), add || step > 0);
    }
  }
  pending.commit();
}

template <class Sums>
__device__ inline void settle_all(Sums& sums) {
#pragma unroll
  for (int piece = 0; piece < pieces; ++piece) settle(sums[piece]);
}

// The sums of a tile as the tensor core has them. A stage is freed when the multiplications of the next pair are under
// way.
__device__ inline void multiply_tile(GroupSums& sums, const Stages& stages, Turn& turn, int pairs) {
  const unsigned rows = static_cast<unsigned>(group_of_thread() * group_rows * line_bytes);
  Pending pending;
  int before = turn.stage;
  for (int pair = 0; pair < pairs; ++pair) {
    wait_for_phase(stages.full(turn.stage), turn.parity);
    multiply_pair(pending, sums, stages.a(turn.stage) + rows, stages.b(turn.stage), pair > 0);
    pending.wait<1>();
    if (pair > 0) free_as_warp(stages.free(before));
    before = turn.stage;
    turn.advance();
  }
  pending.wait<0>();
  free_as_warp(stages.free(before));
  settle_all(sums);
}

// The same, each pair's sums added to floats. Meanwhile the other warpgroup multiplies.
__device__ inline void multiply_and_promote(GroupSums& sums, const Stages& stages, Turn& turn, const Result& to,
                                            Place tile) {
  const unsigned rows = static_cast<unsigned>(group_of_thread() * group_rows * line_bytes);
  const int warp = static_cast<int>(threadIdx.x) % warpgroup / 32;
  const int first_row = tile.row + group_of_thread() * group_rows + warp * 16;
#pragma unroll
  for (int i = 0; i < pieces * TILE_N / 2; ++i) sums[i / (TILE_N / 2)][i % (TILE_N / 2)] = 0.0f;
  Pending pending;
  RowScales<pieces> scale = {}, next = {};
  next.read(to, tile, first_row, 64, 0);
  for (int pair = 0; pair < (to.k - 1) / TILE_K + 1; ++pair) {
    scale = next;
    next.read(to, tile, first_row, 64, pair + 1);
    wait_for_phase(stages.full(turn.stage), turn.parity);
#pragma unroll
    for (int first = 0; first < TILE_N; first += part_columns) {
      PartSums part;
      multiply_pair(pending, part, stages.a(turn.stage) + rows,
                    stages.b(turn.stage) + static_cast<unsigned>(first * line_bytes), false);
      pending.wait<0>();
      if (first + part_columns == TILE_N) free_as_warp(stages.free(turn.stage));
      settle_all(part);
#pragma unroll
      for (int i = 0; i < pieces; ++i)
#pragma unroll
        for (int j = 0; j < part_columns / 2; ++j) scale.promote(sums[i][first / 2 + j], part[i][j], i, j % 4 / 2);
    }
    turn.advance();
  }
}

__device__ inline void multiply_all(const Result& to, const Tiles& tiles, const Stages& stages) {
  const int warp = static_cast<int>(threadIdx.x) % warpgroup / 32;
  Turn turn;
  for (int tile = cluster_of_block(); tile < tiles.count(); tile += clusters()) {
    const Place at = tile_of_block(tile, tiles.m, tiles.n);
    GroupSums sums;
    if constexpr (promoted) {
      multiply_and_promote(sums, stages, turn, to, at);
    } else {
      multiply_tile(sums, stages, turn, tiles.pairs());
    }
    write_sums<pieces, TILE_N / 8>(to, {at.row + group_of_thread() * group_rows + warp * 16, at.column}, 64,
                                   [&](int i, int j, int number) { return sums[i][j * 4 + number]; });
  }
}

// a: m x k in boxes of TILE_M x 128, b: n x k in boxes of TILE_N / CLUSTER_SIZE x 128, both swizzled by 128 bytes; d: m
// x n, row-major. Any one-dimensional grid; dynamic shared memory for STAGES pairs of tiles and two barriers each. The
// first warpgroup gives registers to those that multiply, as far as 64 K last for three warpgroups.
extern "C" __global__ void CLUSTER_OF_BLOCKS __launch_bounds__(warpgroup*(1 + CONSUMERS), 1)
    gemm_fp8_wgmma(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b,
                   unsigned short* __restrict__ d, const float* __restrict__ of_a, const float* __restrict__ of_b,
                   int m, int n, int k) {
  extern __shared__ __align__(1024) unsigned char tiles_and_barriers[];
  const Stages stages{window_of(tiles_and_barriers)};
  const Tiles tiles{m, n, k};
  if (threadIdx.x == 0) stages.make();
  meet_cluster();
  if (threadIdx.x < warpgroup) {
    if constexpr (CONSUMERS > 1) give_registers<40>();
    if (threadIdx.x > 0) return;
    fetch_map(a);
    fetch_map(b);
    send_all(a, b, tiles, stages);
  } else {
    if constexpr (CONSUMERS > 1) take_registers<232>();
    multiply_all({d, of_a, of_b, m, n, k}, tiles, stages);
  }
  leave_cluster();
}
