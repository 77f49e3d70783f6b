// The product by warpgroups, which multiply images (images.cuh) out of shared memory (compute capability 9.0). Others
// keep a ring of stages filled with images of A and B; each stage has a barrier that says that it is full and one that
// says that it is free. The parameters are described in kernel.cu.
//
// Sources: the PTX ISA manual; Thakkar et al., "CUTLASS" 3 (warp-specialised kernels); DeepSeek-AI, "DeepSeek-V3
// Technical Report" (2024), section 3.3.2, for sums that leave the tensor core every so many products.
#pragma once

#include "hopper.cuh"
#include "images.cuh"
#include "output.cuh"

constexpr int warpgroup = 128;          // threads
constexpr int consumers = TILE_M / 64;  // warpgroups that multiply, 64 rows each
constexpr int stage_bytes = ImageOfA::bytes + ImageOfB::bytes;
constexpr int steps_k = TILE_K / step_k;

using GroupSums = float[TILE_N / 2];

using Turn = RingPlace<STAGES>;

struct Stages {
  Window start;

  __device__ Window a(int stage) const { return start + static_cast<unsigned>(stage * stage_bytes); }
  __device__ Window b(int stage) const { return a(stage) + ImageOfA::bytes; }
  __device__ Window full(int stage) const {
    return start + static_cast<unsigned>(STAGES * stage_bytes + 2 * stage * barrier_bytes);
  }
  __device__ Window free(int stage) const { return full(stage) + barrier_bytes; }

  // Who multiplies a chunk frees its stage, warp by warp.
  __device__ void make(int who_fill) const {
    for (int i = 0; i < STAGES; ++i) {
      make_barrier(full(i), who_fill);
      make_barrier(free(i), warpgroup / 32 * consumers);
    }
    publish_barriers();
  }
};

// Starts the multiplications of a chunk; `a` is where the warpgroup's rows begin.
__device__ inline void multiply_chunk(Pending& pending, GroupSums& sums, Window a, Window b) {
  pending.fence();
#pragma unroll
  for (int product = 0; product < products; ++product) {
#pragma unroll
    for (int step = 0; step < steps_k; ++step) {
      const int of_a = left_part(product) * ImageOfA::part_bytes + step * 2 * ImageOfA::piece_bytes;
      const int of_b = right_part(product) * ImageOfB::part_bytes + step * 2 * ImageOfB::piece_bytes;
      multiply(pending, sums, descriptor(a + static_cast<unsigned>(of_a), ImageOfA::piece_bytes),
               descriptor(b + static_cast<unsigned>(of_b), ImageOfB::piece_bytes), product + step > 0);
    }
  }
  pending.commit();
}

// What a warpgroup's warps do once for all of their lanes.
__device__ inline void arrive_as_warp(Window barrier) {
  if (lane_of_thread() == 0) arrive(barrier);
}

// `totals` += the next chunk's sums by tensor cores, rounded to nearest.
__device__ inline void add_chunk(GroupSums& totals, const Stages& stages, const Turn& turn, int first_row) {
  Pending pending;
  GroupSums sums;
  wait_for_phase(stages.full(turn.stage), turn.parity);
  multiply_chunk(pending, sums, stages.a(turn.stage) + static_cast<unsigned>(first_row * 16), stages.b(turn.stage));
  pending.wait<0>();
  arrive_as_warp(stages.free(turn.stage));
  settle(sums);
#pragma unroll
  for (int i = 0; i < TILE_N / 2; ++i) totals[i] += sums[i];
}

// at: the first element of C that the warpgroup computes.
__device__ inline void write_tile(const Result& to, const GroupSums& sums, Place at, int share) {
  const int warp = static_cast<int>(threadIdx.x) % warpgroup / 32;
  const int row = at.row + warp * 16 + lane_of_thread() / 4;
  const int column = at.column + lane_of_thread() % 4 * 2;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
#pragma unroll
    for (int i = 0; i < TILE_N / 8; ++i) {
      write_pair(to, sums + 4 * i + 2 * half, row + half * 8, column + i * 8, share);
    }
  }
}

// first_row: of the tile, for this warpgroup.
__device__ inline void multiply_all(const Result& to, const Problem& problem, const Stages& stages, int first_row) {
  Turn turn;
  for (int index = static_cast<int>(blockIdx.x); index < problem.shares(); index += static_cast<int>(gridDim.x)) {
    const Share share = problem.share(index);
    GroupSums totals = {};
    for (int chunk = share.first; chunk < share.end; ++chunk) {
      add_chunk(totals, stages, turn, first_row);
      turn.advance();
    }
    write_tile(to, totals, {share.at.row + first_row, share.at.column}, share.number);
  }
}
