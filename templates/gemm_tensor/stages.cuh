// The ring of stages between those that copy and those that multiply (compute capability 9.0): pairs of tiles in shared
// memory, each with a barrier that says that it is full and one that says that it is free.
#pragma once

#include "cluster.cuh"

constexpr int warpgroup = 128;  // threads

using Turn = RingPlace<STAGES>;

// Among those that multiply.
__device__ inline int group_of_thread() {
  return static_cast<int>(threadIdx.x) / warpgroup - 1;
}

// Where the pairs and barriers lie. TakingTurns: each warpgroup multiplies pairs of its own.
template <int BytesOfA, int BytesOfPair, bool TakingTurns>
struct StagesOf {
  Window start;

  __device__ Window a(int stage) const { return start + static_cast<unsigned>(stage * BytesOfPair); }
  __device__ Window b(int stage) const { return a(stage) + BytesOfA; }
  __device__ Window full(int stage) const {
    return start + static_cast<unsigned>(STAGES * BytesOfPair + 2 * stage * barrier_bytes);
  }
  __device__ Window free(int stage) const { return full(stage) + barrier_bytes; }
  // Whether it is a warpgroup's turn to multiply. A wait knows no more of a phase than its parity: who would wait for
  // a stage's pair after the next took the next for it.
  __device__ Window go(int group) const { return full(STAGES) + static_cast<unsigned>(group * barrier_bytes); }

  // Who multiplies a pair frees its stage, warp by warp; of all blocks that share it.
  __device__ void make() const {
    for (int i = 0; i < STAGES; ++i) {
      make_barrier(full(i), 1);
      make_barrier(free(i), warpgroup / 32 * (TakingTurns ? 1 : CONSUMERS) * CLUSTER_SIZE);
    }
    for (int i = 0; i < CONSUMERS; ++i) make_barrier(go(i), warpgroup / 32);
    publish_barriers();
  }
};

// What a warpgroup's warps do once for all of their lanes.
__device__ inline void arrive_as_warp(Window barrier) {
  if (lane_of_warp() == 0) arrive(barrier);
}
