// The product by warpgroups, which multiply out of shared memory (compute capability 9.0). One more warpgroup, of which
// one thread does all the work, sends boxes of A and B through a ring of stages; each stage has a barrier that says
// that it is full and one that says that it is free. The parameters are described in kernel.cu.
//
// Sources: the PTX ISA manual; Thakkar et al., "CUTLASS" 3 (warp-specialised kernels, "pingpong" and "cooperative");
// Bikshandi & Shah, "Developing CUDA Kernels for GEMM on NVIDIA Hopper" (Colfax Research, 2023).
#pragma once

#include "group_tiles.cuh"
#include "output.cuh"

// What a tile's sums become: C, or the variant's D.
#if FUSED
using Written = Fused;
#else
using Written = Result;
#endif

// Has the L2 cache fetch a tile that the sums will be added to, some rows with each pair of tiles, so that who adds
// need not wait for the memory.
__device__ inline void fetch_rows(const Written& to, Place at, int pair, int pairs) {
  const int rows = (TILE_M - 1) / pairs + 1;
  const int bytes = static_cast<int>(sizeof(*to.rows())) * min_of(TILE_N, to.n - at.column);
  const int end = min_of((pair + 1) * rows, min_of(TILE_M, to.m - at.row));
  for (int row = at.row + pair * rows; row < at.row + end; ++row)
    fetch_to_l2(to.rows() + static_cast<long long>(row) * to.n + at.column, bytes);
}

__device__ inline void send_all(const TensorMap& a, const TensorMap& b, const Written& to, const Tiles& tiles,
                                const Stages& stages) {
  Turn turn;
  for (int tile = cluster_of_block(); tile < tiles.count(); tile += clusters()) {
    const Place at = tile_of_block(tile, tiles.m, tiles.n);
    for (int pair = 0; pair < tiles.pairs(); ++pair) {
      const Window full = stages.full(turn.stage);
      wait_for_phase(stages.free(turn.stage), turn.parity ^ 1);
      arrive_and_announce(full, stage_pair_bytes);
      copy_box(stages.a(turn.stage), a, pair * TILE_K, at.row, full);
#pragma unroll
      for (int part = rank_in_cluster(); part < b_parts; part += CLUSTER_SIZE) {
        copy_box_to_all(stages.b(turn.stage) + static_cast<unsigned>(part * b_part_bytes), b, at.column + part * line,
                        pair * TILE_K, full);
      }
      if (PREFETCH_C && to.reads_rows()) fetch_rows(to, at, pair, tiles.pairs());
      turn.advance();
    }
  }
}

// Neighbours of C that are read before the first of them is written: each read takes a trip to the memory.
constexpr int read_at_once = min_of(16, TILE_N / 8);

// A lane's pairs of sums in one row; `column` is that of its first. Rows of C are whole groups of eight columns here.
__device__ inline void write_row(const Result& to, const float (&sums)[TILE_N / 2], int half, int row, int column) {
  float* c = to.c + static_cast<long long>(row) * to.n + column;
#pragma unroll
  for (int first = 0; first < TILE_N / 8; first += read_at_once) {
    Floats<2> packs[read_at_once] = {};
#pragma unroll
    for (int i = 0; i < read_at_once; ++i) {
      if (to.beta != 0.0f && column + (first + i) * 8 < to.n)
        packs[i] = *reinterpret_cast<const Floats<2>*>(c + (first + i) * 8);
    }
#pragma unroll
    for (int i = 0; i < read_at_once; ++i) {
      const float* sum = sums + (first + i) * 4 + half * 2;
      for (int j = 0; j < 2; ++j)
        packs[i].at[j] = to.alpha * sum[j] + (to.beta != 0.0f ? to.beta * packs[i].at[j] : 0.0f);
      if (column + (first + i) * 8 < to.n) *reinterpret_cast<Floats<2>*>(c + (first + i) * 8) = packs[i];
    }
  }
}

// at: the first element of C that the warpgroup computes.
__device__ inline void write_tile(const Result& to, const GroupSums& sums, Place at) {
  const int warp = static_cast<int>(threadIdx.x) % warpgroup / 32;
  const int row = at.row + warp * 16 + lane_of_warp() / 4;
#pragma unroll
  for (int i = 0; i < 2 * pieces; ++i) {
    const int mine = row + i / 2 * 64 + i % 2 * 8;
    if (mine < to.m) write_row(to, sums[i / 2], i % 2, mine, at.column + lane_of_warp() % 4 * 2);
  }
}

__device__ inline void multiply_all(const Written& to, const Tiles& tiles, const Stages& stages) {
  const int group = group_of_thread();
  const int blocks = clusters();
  const int first_row = taking_turns ? 0 : group * group_rows;
  Turn turn;
  unsigned parity = group == 0 ? 1 : 0;  // the first need not wait
  if constexpr (taking_turns) turn.skip(group * tiles.pairs());
  for (int tile = cluster_of_block() + (taking_turns ? group * blocks : 0); tile < tiles.count();
       tile += (taking_turns ? CONSUMERS : 1) * blocks) {
    const Place at = tile_of_block(tile, tiles.m, tiles.n);
    if constexpr (taking_turns) wait_for_phase(stages.go(group), parity);
    parity ^= 1;
    GroupSums sums;
    multiply_tile(sums, stages, turn, tiles.pairs(), first_row);
    if constexpr (taking_turns) turn.skip((CONSUMERS - 1) * tiles.pairs());
    write_tile(to, sums, {at.row + first_row, at.column});
  }
}

// The first warpgroup gives registers to those that multiply, as far as 64 K last for three warpgroups.
__device__ inline void copy_or_multiply(const TensorMap& a, const TensorMap& b, const Written& to, const Tiles& tiles,
                                        unsigned char* shared) {
  const Stages stages{window_of(shared)};
  if (threadIdx.x == 0) stages.make();
  meet_cluster();
  if (threadIdx.x < warpgroup) {
    if constexpr (CONSUMERS > 1) give_registers<40>();
    if (threadIdx.x > 0) return;
    fetch_map(a);
    fetch_map(b);
    send_all(a, b, to, tiles, stages);
  } else {
    if constexpr (CONSUMERS > 1) take_registers<232>();
    multiply_all(to, tiles, stages);
  }
  leave_cluster();
}

// a: m x k in boxes of TILE_M x 64, b: k x n in boxes of 64 x 64, both swizzled by 128 bytes; n a multiple of eight.
// Any one-dimensional grid; dynamic shared memory for STAGES pairs of tiles and two barriers each.
#if FUSED
// d: m x n, or m x (n / 2) of swiglu, row-major; vector and residual: what the fusion names, else anything.
extern "C" __global__ void CLUSTER_OF_BLOCKS __launch_bounds__(warpgroup*(1 + CONSUMERS), 1)
    gemm_tensor_wgmma(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, Element* __restrict__ d,
                      const float* __restrict__ vector, const Element* __restrict__ residual, int m, int n, int k,
                      float alpha) {
  extern __shared__ __align__(1024) unsigned char tiles_and_barriers[];
  copy_or_multiply(a, b, {d, vector, residual, m, n, alpha}, {m, n, k}, tiles_and_barriers);
}
#else
// c: m x n, row-major.
extern "C" __global__ void CLUSTER_OF_BLOCKS __launch_bounds__(warpgroup*(1 + CONSUMERS), 1)
    gemm_tensor_wgmma(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, float* __restrict__ c,
                      int m, int n, int k, float alpha, float beta) {
  extern __shared__ __align__(1024) unsigned char tiles_and_barriers[];
  copy_or_multiply(a, b, {c, m, n, alpha, beta}, {m, n, k}, tiles_and_barriers);
}
#endif
