// The product by warpgroups, which multiply out of shared memory (compute capability 9.0). One more warpgroup, of which
// one thread does all the work, sends boxes of A and B through a ring of stages; each stage has a barrier that says
// that it is full and one that says that it is free. The parameters are described in kernel.cu.
//
// Sources: the PTX ISA manual; Thakkar et al., "CUTLASS" 3 (warp-specialised kernels, "pingpong" and "cooperative");
// Bikshandi & Shah, "Developing CUDA Kernels for GEMM on NVIDIA Hopper" (Colfax Research, 2023).
#pragma once

#include "fusion.cuh"
#include "output.cuh"
#include "stages.cuh"

enum class Schedule { cooperative, pingpong };

// What a tile's sums become: C, or the variant's D.
#if FUSED
using Written = Fused;
#else
using Written = Result;
#endif

constexpr Schedule schedule = Schedule::SCHEDULE;
constexpr bool taking_turns = schedule == Schedule::pingpong;
constexpr int line = 64;                                             // elements in 128 bytes, the swizzle's span
constexpr int group_rows = TILE_M / (taking_turns ? 1 : CONSUMERS);  // of a tile of C that a warpgroup computes
constexpr int pieces = group_rows / 64;                              // multiplications below each other
constexpr int a_bytes = TILE_M * 128;
constexpr int b_part_bytes = TILE_K * 128;  // 64 columns
constexpr int b_parts = TILE_N / line;
constexpr int stage_pair_bytes = a_bytes + b_parts * b_part_bytes;
constexpr int steps_k = TILE_K / 16;

static_assert(TILE_K == line, "a line of A is a swizzle's span");
static_assert(group_rows % 64 == 0, "a warpgroup multiplies 64 rows at once");

using GroupSums = float[pieces][TILE_N / 2];

using Stages = StagesOf<a_bytes, stage_pair_bytes, taking_turns>;

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

// Starts the multiplications of a pair; `a` is where the warpgroup's rows begin.
__device__ inline void multiply_pair(Pending& pending, GroupSums& sums, Window a, Window b, bool add) {
  pending.fence();
#pragma unroll
  for (int step = 0; step < steps_k; ++step) {
    const unsigned long long of_b = descriptor(b + static_cast<unsigned>(step * 16 * 128), b_part_bytes, 1024);
#pragma unroll
    for (int piece = 0; piece < pieces; ++piece) {
      const Window rows = a + static_cast<unsigned>(piece * 64 * 128 + step * 32);
      multiply<format>(pending, sums[piece], descriptor(rows, 0, 1024), of_b, add || step > 0);
    }
  }
  pending.commit();
}

// The sums of a tile. A stage is freed when the multiplications of the next pair are under way.
__device__ inline void multiply_tile(GroupSums& sums, const Stages& stages, Turn& turn, int pairs, int first_row) {
  Pending pending;
  int before = turn.stage;
  for (int pair = 0; pair < pairs; ++pair) {
    wait_for_phase(stages.full(turn.stage), turn.parity);
    multiply_pair(pending, sums, stages.a(turn.stage) + static_cast<unsigned>(first_row * 128), stages.b(turn.stage),
                  pair > 0);
    pending.wait<1>();
    if (pair > 0) free_as_warp(stages.free(before));
    before = turn.stage;
    turn.advance();
  }
  if constexpr (taking_turns) arrive_as_warp(stages.go((group_of_thread() + 1) % CONSUMERS));
  pending.wait<0>();
  free_as_warp(stages.free(before));
#pragma unroll
  for (int piece = 0; piece < pieces; ++piece) settle(sums[piece]);
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

__device__ inline void write_tile(const Fused& to, const GroupSums& sums, Place at) {
  const int warp = static_cast<int>(threadIdx.x) % warpgroup / 32;
  write_fused<pieces, TILE_N / 8>(to, {at.row + warp * 16, at.column}, 64,
                                  [&](int i, int j, int number) { return sums[i][j * 4 + number]; });
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
