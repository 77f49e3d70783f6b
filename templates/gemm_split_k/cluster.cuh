// Parts of a tile that add up within a cluster of blocks, each block a share of the tile: out of each other's shared
// memory, or, where there are no clusters, in the workspace by whichever block ends last. The parameters are described
// in kernel.cu.
#pragma once

#include "combine.cuh"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && CLUSTER > 1
#define CLUSTER_OF_BLOCKS __cluster_dims__(1, CLUSTER, 1)
#else
#define CLUSTER_OF_BLOCKS
#endif

// Where block `rank` of the cluster keeps what this one keeps at `mine`, in shared memory.
__device__ inline const Run* in_block(const Run* mine, int rank) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  const Run* theirs;
  asm("mapa.u64 %0, %1, %2;" : "=l"(theirs) : "l"(mine), "r"(rank));
  return theirs;
#else
  return mine;
#endif
}

// Until all threads of the cluster are here; what they have stored is then visible.
__device__ inline void wait_for_cluster() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

// Adds up share `rank` of all parts and sends it on. Blocks start to read at different parts, and all reads are under
// way before the first sum is sent.
template <class PartOf>
__device__ inline void combine_share(const Output& out, Place target, int rank, const PartOf& part_of) {
  constexpr int share = (runs - 1) / CLUSTER + 1;
  Run totals[share] = {};
  Run old[share] = {};
#pragma unroll
  for (int i = 0; i < share; ++i) {
    const int number = i * CLUSTER + rank;
    if (number >= runs) break;
    if constexpr (groups == 1) old[i] = read_from(out, place_of_run(target, number));
#pragma unroll
    for (int distance = 0; distance < CLUSTER; ++distance) {
      const Run run = part_of((rank + distance) % CLUSTER)[place_in_part(number)];
#pragma unroll
      for (int l = 0; l < run_n; ++l) totals[i].at[l] += run.at[l];
    }
  }
#pragma unroll
  for (int i = 0; i < share; ++i) {
    const int number = i * CLUSTER + rank;
    if (number >= runs) break;
    const Place place = place_of_run(target, number);
    if constexpr (groups == 1) {
      write_to(out, totals[i], old[i], place);
    } else {
      add_to(out, totals[i], place);
    }
  }
}

__device__ inline void combine_in_cluster(const Output& out, const Accumulator& sums, Place target, float* workspace,
                                          int tile, int part) {
  if constexpr (has_clusters) {
    extern __shared__ float4 shared_storage[];
    Run* mine = reinterpret_cast<Run*>(shared_storage);
    wait_for_copies<0>();
    __syncthreads();  // the ring's last tiles are read
    leave_sums(mine, sums);
    wait_for_cluster();
    combine_share(out, target, part % CLUSTER, [=](int rank) { return in_block(mine, rank); });
    wait_for_cluster();  // the others have read this block's part
  } else {
    leave_sums(part_in_workspace(workspace, tile, part), sums);
    if (!is_last_of(CLUSTER, &tickets[tile * groups + part / CLUSTER])) return;
    const int first = part - part % CLUSTER;
    for (int rank = 0; rank < CLUSTER; ++rank)
      combine_share(out, target, rank, [=](int other) { return part_in_workspace(workspace, tile, first + other); });
  }
}
