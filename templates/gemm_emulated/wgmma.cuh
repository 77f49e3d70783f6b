// The product by warpgroups, which multiply out of shared memory (compute capability 9.0). One more warpgroup, of which
// one thread does all the work, sends images of A and B (pack.cuh) through a ring of stages; each stage has a barrier
// that says that it is full and one that says that it is free. The parameters are described in kernel.cu.
//
// Sources: the PTX ISA manual; Thakkar et al., "CUTLASS" 3 (warp-specialised kernels); DeepSeek-AI, "DeepSeek-V3
// Technical Report" (2024), section 3.3.2, for sums that leave the tensor core every so many products.
#pragma once

#include "hopper.cuh"
#include "output.cuh"
#include "pack.cuh"

constexpr int warpgroup = 128;                // threads
constexpr int consumers = TILE_M / 64;        // warpgroups that multiply, 64 rows each
constexpr int sum_chunks = SUM_DEPTH / TILE_K;
constexpr int stage_bytes = ImageOfA::bytes + ImageOfB::bytes;
constexpr int steps_k = TILE_K / step_k;

static_assert(SUM_DEPTH % TILE_K == 0, "sums leave the tensor core between two chunks");

using GroupSums = float[TILE_N / 2];

// A stage of the ring, and the parity of its barriers' phase.
struct Turn {
  int stage = 0;
  unsigned parity = 0;

  __device__ void advance() {
    if (++stage < STAGES) return;
    stage = 0;
    parity ^= 1;
  }
};

struct Stages {
  Window start;

  __device__ Window a(int stage) const { return start + static_cast<unsigned>(stage * stage_bytes); }
  __device__ Window b(int stage) const { return a(stage) + ImageOfA::bytes; }
  __device__ Window full(int stage) const {
    return start + static_cast<unsigned>(STAGES * stage_bytes + 2 * stage * barrier_bytes);
  }
  __device__ Window free(int stage) const { return full(stage) + barrier_bytes; }

  // Who multiplies a chunk frees its stage, warp by warp.
  __device__ void make() const {
    for (int i = 0; i < STAGES; ++i) {
      make_barrier(full(i), 1);
      make_barrier(free(i), warpgroup / 32 * consumers);
    }
    publish_barriers();
  }
};

__device__ inline void send_all(const unsigned char* packed_a, const unsigned char* packed_b, const Problem& problem,
                                const Stages& stages) {
  const int chunks = problem.chunks();
  Turn turn;
  for (int index = static_cast<int>(blockIdx.x); index < problem.shares(); index += static_cast<int>(gridDim.x)) {
    const Share share = problem.share(index);
    const unsigned char* a = image_at<ImageOfA>(packed_a, share.at.row / TILE_M, share.first, chunks);
    const unsigned char* b = image_at<ImageOfB>(packed_b, share.at.column / TILE_N, share.first, chunks);
    for (int chunk = share.first; chunk < share.end; ++chunk) {
      const Window full = stages.full(turn.stage);
      wait_for_phase(stages.free(turn.stage), turn.parity ^ 1);
      arrive_and_announce(full, stage_bytes);
      copy_bytes(stages.a(turn.stage), a, ImageOfA::bytes, full);
      copy_bytes(stages.b(turn.stage), b, ImageOfB::bytes, full);
      a += ImageOfA::bytes;
      b += ImageOfB::bytes;
      turn.advance();
    }
  }
}

// Starts the multiplications of a chunk; `a` is where the warpgroup's rows begin.
__device__ inline void multiply_chunk(Pending& pending, GroupSums& sums, Window a, Window b, bool add) {
  pending.fence();
#pragma unroll
  for (int product = 0; product < products; ++product) {
#pragma unroll
    for (int step = 0; step < steps_k; ++step) {
      const int of_a = left_part(product) * ImageOfA::part_bytes + step * 2 * ImageOfA::piece_bytes;
      const int of_b = right_part(product) * ImageOfB::part_bytes + step * 2 * ImageOfB::piece_bytes;
      multiply(pending, sums, descriptor(a + static_cast<unsigned>(of_a), ImageOfA::piece_bytes),
               descriptor(b + static_cast<unsigned>(of_b), ImageOfB::piece_bytes), add || product + step > 0);
    }
  }
  pending.commit();
}

// What a warpgroup's warps do once for all of their lanes.
__device__ inline void arrive_as_warp(Window barrier) {
  if (lane_of_warp() == 0) arrive(barrier);
}

// The next `chunks` chunks' sums by tensor cores, `totals` += these, rounded to nearest. A stage is freed when the
// multiplications of the next chunk are under way.
__device__ inline void add_chunks(GroupSums& totals, const Stages& stages, Turn& turn, int chunks, int first_row) {
  Pending pending;
  GroupSums sums;
  int before = turn.stage;
  for (int chunk = 0; chunk < chunks; ++chunk) {
    wait_for_phase(stages.full(turn.stage), turn.parity);
    multiply_chunk(pending, sums, stages.a(turn.stage) + static_cast<unsigned>(first_row * 16), stages.b(turn.stage),
                   chunk > 0);
    if (sum_chunks > 1) {
      pending.wait<1>();
      if (chunk > 0) arrive_as_warp(stages.free(before));
    }
    before = turn.stage;
    turn.advance();
  }
  pending.wait<0>();
  arrive_as_warp(stages.free(before));
  settle(sums);
#pragma unroll
  for (int i = 0; i < TILE_N / 2; ++i) totals[i] += sums[i];
}

// at: the first element of C that the warpgroup computes.
__device__ inline void write_tile(const Result& to, const GroupSums& sums, Place at, int share) {
  const int warp = static_cast<int>(threadIdx.x) % warpgroup / 32;
  const int row = at.row + warp * 16 + lane_of_warp() / 4;
  const int column = at.column + lane_of_warp() % 4 * 2;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
#pragma unroll
    for (int i = 0; i < TILE_N / 8; ++i) {
      write_pair(to, sums + 4 * i + 2 * half, row + half * 8, column + i * 8, share);
    }
  }
}

__device__ inline void multiply_all(const Result& to, const Problem& problem, const Stages& stages) {
  const int first_row = (static_cast<int>(threadIdx.x) / warpgroup - 1) * 64;
  Turn turn;
  for (int index = static_cast<int>(blockIdx.x); index < problem.shares(); index += static_cast<int>(gridDim.x)) {
    const Share share = problem.share(index);
    GroupSums totals = {};
    for (int chunk = share.first; chunk < share.end; chunk += sum_chunks) {
      add_chunks(totals, stages, turn, min_of(sum_chunks, share.end - chunk), first_row);
    }
    write_tile(to, totals, {share.at.row + first_row, share.at.column}, share.number);
  }
}

// The registers of threads that copy and of those that multiply; 65,536 are there.
constexpr int registers_to_copy = consumers == 3 ? 32 : 40;
constexpr int registers_to_multiply = consumers == 3 ? 160 : 232;

// packed_a, packed_b: what split_and_pack leaves. c: m x n, row-major, aligned to 8 bytes. Any one-dimensional grid;
// dynamic shared memory for STAGES pairs of images and two barriers each. The first warpgroup gives registers to those
// that multiply.
extern "C" __global__ void __launch_bounds__(warpgroup*(1 + consumers), 1)
    gemm_emulated_wgmma(const unsigned char* __restrict__ packed_a, const unsigned char* __restrict__ packed_b,
                        float* __restrict__ c, float* __restrict__ workspace, int m, int n, int k, float alpha,
                        float beta) {
  extern __shared__ __align__(128) unsigned char images_and_barriers[];
  const Stages stages{window_of(images_and_barriers)};
  const Problem problem{m, n, k};
  if (threadIdx.x == 0) stages.make();
  __syncthreads();
  if (threadIdx.x < warpgroup) {
    if constexpr (consumers > 1) give_registers<registers_to_copy>();
    if (threadIdx.x == 0) send_all(packed_a, packed_b, problem, stages);
  } else {
    if constexpr (consumers > 1) take_registers<registers_to_multiply>();
    multiply_all({c, workspace, m, n, alpha, beta}, problem, stages);
  }
}
