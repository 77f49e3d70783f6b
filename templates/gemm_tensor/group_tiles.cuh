// The sums of a tile by warpgroups, which multiply the pairs of tiles that a ring of stages brings to shared memory,
// and their way to D (compute capability 9.0). The parameters are described in kernel.cu.
#pragma once

#include "fusion.cuh"
#include "stages.cuh"

enum class Schedule { cooperative, pingpong };

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

__device__ inline void write_tile(const Fused& to, const GroupSums& sums, Place at) {
  const int warp = static_cast<int>(threadIdx.x) % warpgroup / 32;
  write_fused<pieces, TILE_N / 8>(to, {at.row + warp * 16, at.column}, 64,
                                  [&](int i, int j, int number) { return sums[i][j * 4 + number]; });
}
