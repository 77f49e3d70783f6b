// The sums of a tile of floats, multiplied as TF32, by warpgroups (compute capability 9.0), and their way to memory.
//
// wgmma reads 32-bit operands out of shared memory only where they lie along K, and B's rows lie along N. The left
// operand may come from registers instead, which can be read in any order: so the transposed product is computed, whose
// left operand is B's transpose and whose right one is A's. A warp has 16 columns of C, each of which a row of the
// product's; any other order of them would do. This one reads B without bank conflicts, and gives each lane neighbours
// in C's rows. Rejected: a second copy of B with K along its lines, which every tile would have to make again.
//
// Sources: the PTX ISA manual, "Register Fragments for wgmma.mma_async.m64nNk8" and "Tensor-map swizzling modes".
#pragma once

#include "fusion.cuh"
#include "schedule.cuh"

constexpr int line = 32;                                                // floats in 128 bytes, the swizzle's span
constexpr int group_columns = TILE_N / (taking_turns ? 1 : CONSUMERS);  // of a tile of C that a warpgroup computes
constexpr int pieces = group_columns / 64;                              // multiplications beside each other
constexpr int warp_columns = 16;                                        // of C, for each piece; 64 bytes of B's rows
constexpr int a_bytes = TILE_M * 128;
constexpr int b_part_bytes = TILE_K * warp_columns * 4;
constexpr int b_parts = TILE_N / warp_columns;
constexpr int stage_pair_bytes = a_bytes + b_parts * b_part_bytes;
constexpr int steps_k = TILE_K / 8;

static_assert(TILE_K == line, "a line of A is a swizzle's span");
static_assert(group_columns % 64 == 0, "a warpgroup multiplies 64 columns at once");

using GroupSums = float[pieces][TILE_M / 2];

using Stages = StagesOf<a_bytes, stage_pair_bytes, taking_turns>;

// The left operands of four multiplications: a lane's two columns of C at k % 8 = t, and the same at t + 4. Whole pairs
// of several pieces would take more registers than there are.
using LeftOperands = unsigned[steps_k][4];
constexpr int steps_at_once = steps_k / pieces;

// The first of the two neighbouring columns, of the warp's 16, that a lane has: it reads them at once. A row of B's box
// is 64 bytes, in which pieces of 16 bytes trade places by the row's number: 16 lanes then read all 32 banks.
__device__ inline int column_of_lane() {
  const int g = lane_of_warp() / 4;
  return g % 2 * 8 + g / 4 * 4 + g / 2 % 2 * 2;
}

__device__ inline int warp_of_group() {
  return static_cast<int>(threadIdx.x) % warpgroup / 32;
}

// `b` is where the boxes of the warpgroup's columns begin, in the row of the first step.
__device__ inline void read_left(LeftOperands& left, Window b) {
  const unsigned t = static_cast<unsigned>(lane_of_warp() % 4);
  const unsigned byte = static_cast<unsigned>(column_of_lane() * 4) ^ t / 2 * 16;
  const Window first = b + static_cast<unsigned>(warp_of_group() * b_part_bytes) + t * 64;
#pragma unroll
  for (int i = 0; i < steps_k; ++i) {
    const Window part = first + static_cast<unsigned>(i % pieces * 4 * b_part_bytes + i / pieces * 8 * 64);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const auto& pair = *reinterpret_cast<const warptune::device::Pack<unsigned, 2>*>(
          pointer_to(part + static_cast<unsigned>(half * 4 * 64) + (byte ^ static_cast<unsigned>(half * 32))));
      left[i][2 * half] = pair.at[0];
      left[i][2 * half + 1] = pair.at[1];
    }
  }
}

// Starts multiplications; `a` is where the first step's rows of A begin.
__device__ inline void multiply_steps(Pending& pending, GroupSums& sums, const LeftOperands& left, Window a, bool add) {
  pending.fence();
#pragma unroll
  for (int i = 0; i < steps_k; ++i) {
    const int step = i / pieces;
    multiply<Format::tf32>(pending, sums[i % pieces], left[i],
                           descriptor(a + static_cast<unsigned>(step * 32), 0, 1024), add || step > 0);
  }
  pending.commit();
}

// A pair of tiles, the first or second of two, as the sets of registers take turns: each is read while multiplications
// are under way that read the other. Those of the pair before are done after the first ones, and free its stage.
template <int Pair>
__device__ inline void multiply_pair(Pending& pending, GroupSums& sums, LeftOperands (&left)[2], const Stages& stages,
                                     Turn& turn, int& before, Window first_part, bool add) {
  wait_for_phase(stages.full(turn.stage), turn.parity);
#pragma unroll
  for (int step = 0; step < steps_k; step += steps_at_once) {
    LeftOperands& mine = left[(Pair * pieces + step / steps_at_once) % 2];
    read_left(mine, stages.b(turn.stage) + first_part + static_cast<unsigned>(step * 8 * 64));
    multiply_steps(pending, sums, mine, stages.a(turn.stage) + static_cast<unsigned>(step * 32), add || step > 0);
    pending.wait<1>();
    if (step == 0 && add) free_as_warp(stages.free(before));
  }
  before = turn.stage;
  turn.advance();
}

// The sums of a tile. meanwhile() is called when the last multiplications are under way.
template <class Meanwhile>
__device__ inline void multiply_tile(GroupSums& sums, const Stages& stages, Turn& turn, int pairs, int first_column,
                                     const Meanwhile& meanwhile) {
  const Window first_part = static_cast<Window>(first_column / warp_columns * b_part_bytes);
  Pending pending;
  LeftOperands left[2];
  int before = turn.stage;
  int pair = 0;
  for (; pair + 1 < pairs; pair += 2) {
    multiply_pair<0>(pending, sums, left, stages, turn, before, first_part, pair > 0);
    lead_on(stages, pair, pairs);
    multiply_pair<1>(pending, sums, left, stages, turn, before, first_part, true);
    lead_on(stages, pair + 1, pairs);
  }
  if (pair < pairs) {
    multiply_pair<0>(pending, sums, left, stages, turn, before, first_part, pair > 0);
    lead_on(stages, pair, pairs);
  }
  if constexpr (taking_turns) arrive_as_warp(stages.go((group_of_thread() + 1) % CONSUMERS));
  meanwhile();
  pending.wait<0>();
  free_as_warp(stages.free(before));
#pragma unroll
  for (int piece = 0; piece < pieces; ++piece) settle(sums[piece]);
}

// A lane's rows of C, in the order in which it has their sums: two of each eight.
constexpr int lane_rows = TILE_M / 4;
__device__ inline int row_of_lane(int i) {
  return i / 2 * 8 + lane_of_warp() % 4 * 2 + i % 2;
}
