// ALGORITHM=wgmma_fused: some warpgroups read floats of A and B, split them in registers and write their parts to the
// images in shared memory; others multiply these. Nothing but A and B is read, once for each tile. The parameters are
// described in kernel.cu.
#pragma once

#include "wgmma.cuh"

constexpr int splitters = SPLITTERS * warpgroup;  // threads

// The chunks that a block multiplies, one after the other, of all its shares.
struct Walk {
  const Problem& problem;
  int index;
  Share share;
  int chunk;

  __device__ explicit Walk(const Problem& whole) : problem(whole), index(static_cast<int>(blockIdx.x)) { enter(); }
  __device__ bool ended() const { return index >= problem.shares(); }
  __device__ void advance() {
    if (++chunk < share.end) return;
    index += static_cast<int>(gridDim.x);
    enter();
  }
  __device__ void skip(int count) {
    for (int i = 0; i < count && !ended(); ++i) advance();
  }

 private:
  // Shares that have no chunk are passed by.
  __device__ void enter() {
    for (; !ended(); index += static_cast<int>(gridDim.x)) {
      share = problem.share(index);
      chunk = share.first;
      if (chunk < share.end) return;
    }
  }
};

// What a warpgroup holds of its next chunk while the present one waits for its stage: its reads are on their way.
struct Chunk {
  PiecesOfA<warpgroup> a;
  PiecesOfB<warpgroup> b;

  __device__ void read(const float* all_a, const float* all_b, const Walk& at, int thread) {
    if (at.ended()) return;
    a.read(all_a, at.problem, {at.share.at.row, at.chunk * TILE_K}, thread);
    b.read(all_b, at.problem, {at.chunk * TILE_K, at.share.at.column}, thread);
  }
};

__device__ inline void fill_stage(const Chunk& chunk, const Stages& stages, const Turn& turn, int thread) {
  wait_for_phase(stages.free(turn.stage), turn.parity ^ 1);
  chunk.a.put(pointer_to(stages.a(turn.stage)), thread);
  chunk.b.put(pointer_to(stages.b(turn.stage)), thread);
  publish_to_copies();
  __syncwarp();
  arrive_as_warp(stages.full(turn.stage));
}

// Warpgroups take chunks in turns: one waits for its reads while another splits.
__device__ inline void split_all(const float* a, const float* b, const Problem& problem, const Stages& stages) {
  const int group = static_cast<int>(threadIdx.x) / warpgroup;
  const int thread = static_cast<int>(threadIdx.x) % warpgroup;
  Walk next(problem);
  Turn turn;
  next.skip(group);
  turn.skip(group);
  Chunk chunk;
  chunk.read(a, b, next, thread);
  while (!next.ended()) {
    fill_stage(chunk, stages, turn, thread);
    next.skip(SPLITTERS);
    turn.skip(SPLITTERS);
    chunk.read(a, b, next, thread);
  }
}

// The registers of threads that split and of those that multiply; 65,536 are there. Of three warpgroups or fewer the
// latter need no more than all get.
constexpr bool registers_move = consumers + SPLITTERS > 2 && consumers > 1;
constexpr int registers_to_split = SPLITTERS == 1 ? 152 : 96;
constexpr int registers_to_multiply = SPLITTERS == 1 ? 176 : 160;

// a: m x k, b: k x n, c: m x n; row-major, a aligned to 16 bytes, c to 8. Any one-dimensional grid; dynamic shared
// memory for STAGES pairs of images and two barriers each.
extern "C" __global__ void __launch_bounds__(splitters + warpgroup * consumers, 1)
    gemm_emulated_wgmma_fused(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                              float* __restrict__ workspace, int m, int n, int k, float alpha, float beta) {
  extern __shared__ __align__(128) unsigned char images_and_barriers[];
  const Stages stages{window_of(images_and_barriers)};
  const Problem problem{m, n, k};
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == 0) stages.make(warpgroup / 32);
  __syncthreads();
  if (thread < splitters) {
    if constexpr (registers_move) give_registers<registers_to_split>();
    split_all(a, b, problem, stages);
  } else {
    if constexpr (registers_move) take_registers<registers_to_multiply>();
    const int first_row = (thread - splitters) / warpgroup * 64;
    multiply_all({c, workspace, m, n, alpha, beta}, problem, stages, first_row);
  }
}
