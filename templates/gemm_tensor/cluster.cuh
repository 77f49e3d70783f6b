// What the blocks of a cluster share: they compute tiles of the result below each other, out of the same tile of B.
// Each copies a part of it to all of them (TMA multicast), so that it leaves the L2 cache once. Without clusters
// (CLUSTER_SIZE 1, and on the host) each function is the block's own. Sources: the PTX ISA manual,
// "cp.async.bulk.tensor", "mapa" and "barrier.cluster"; Thakkar et al., "CUTLASS" 3.
#pragma once

#include "hopper.cuh"
#include "tiles.cuh"

#if CLUSTER_SIZE > 1
#define CLUSTER_OF_BLOCKS __cluster_dims__(CLUSTER_SIZE, 1, 1)

// All threads of the cluster that have not ended.
__device__ inline void meet_cluster() {
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
}
// No block may end as long as others arrive at its barriers.
__device__ inline void leave_cluster() {
  meet_cluster();
}

// As copy_box, to the same place in all blocks of the cluster; each one's barrier gets the bytes that come to its
// block.
__device__ inline void copy_box_to_all(Window to, const TensorMap& map, int column, int row, Window barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
      "[%1, {%3, %4}], [%2], %5;" ::"r"(to),
      "l"(&map), "r"(barrier), "r"(column), "r"(row), "h"(static_cast<unsigned short>((1 << CLUSTER_SIZE) - 1))
      : "memory");
}

// A warp has read a stage: every block that fills it has to know. Multiplications have read it by then, and nobody
// wrote to it: a release for the whole cluster, which would wait for all memory, is not needed.
__device__ inline void free_as_warp(Window barrier) {
  if (lane_of_warp() >= CLUSTER_SIZE) return;
  asm volatile(
      "{\n.reg .b32 remote;\nmapa.shared::cluster.u32 remote, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [remote];\n}" ::"r"(barrier),
      "r"(lane_of_warp())
      : "memory");
}

#else
#define CLUSTER_OF_BLOCKS

__device__ inline void meet_cluster() {
  __syncthreads();
}
__device__ inline void leave_cluster() {}

__device__ inline void copy_box_to_all(Window to, const TensorMap& map, int column, int row, Window barrier) {
  copy_box(to, map, column, row, barrier);
}

__device__ inline void free_as_warp(Window barrier) {
  if (lane_of_warp() == 0) arrive(barrier);
}

#endif
