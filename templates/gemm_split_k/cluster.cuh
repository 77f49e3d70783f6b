// Parts of a tile that add up within a cluster of blocks, each of which takes a share of the tile: out of each other's
// shared memory, or, where there are no clusters, in the workspace by whichever block ends last. The parameters are
// described in kernel.cu.
#pragma once

#include "combine.cuh"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && CLUSTER_SIZE > 1
#define CLUSTER_OF_BLOCKS __cluster_dims__(1, CLUSTER_SIZE, 1)
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

// Says that this thread's accesses so far are done; waits until all threads of the cluster have said so. A warp does
// both together, also after a branch that some of its threads took.
__device__ inline void arrive_at_cluster() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  __syncwarp();
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#endif
}
__device__ inline void wait_for_cluster() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  __syncwarp();
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

// A share of a tile: every CLUSTER_SIZE-th of a thread's runs, all parts added up, and what C held there.
struct ShareOfTile {
  static constexpr int count = (runs - 1) / CLUSTER_SIZE + 1;

  int rank;
  Run totals[count];
  Run old[count];

  __device__ int run(int i) const { return i * CLUSTER_SIZE + rank; }
  __device__ bool has(int i) const { return runs % CLUSTER_SIZE == 0 || run(i) < runs; }

  // Blocks start at different parts. All reads are under way before the first sum is sent.
  template <class PartOf>
  __device__ void read(const Output& out, Place target, const PartOf& part_of) {
#pragma unroll
    for (int i = 0; i < count; ++i) {
      totals[i] = old[i] = Run{};
      if (!has(i)) continue;
      if constexpr (groups == 1) old[i] = read_from(out, place_of_run(target, run(i)));
#pragma unroll
      for (int distance = 0; distance < CLUSTER_SIZE; ++distance) {
        const Run part = part_of((rank + distance) % CLUSTER_SIZE)[place_in_part(run(i))];
#pragma unroll
        for (int l = 0; l < run_n; ++l) totals[i].at[l] += part.at[l];
      }
    }
  }

  __device__ void send(const Output& out, Place target) const {
#pragma unroll
    for (int i = 0; i < count; ++i) {
      if (!has(i)) continue;
      const Place place = place_of_run(target, run(i));
      if constexpr (groups == 1) {
        write_to(out, totals[i], old[i], place);
      } else {
        add_to(out, totals[i], place);
      }
    }
  }
};

__device__ inline void combine_in_cluster(const Output& out, const Accumulator& sums, Place target, float* workspace,
                                          int tile, int part) {
  ShareOfTile share;
  if constexpr (has_clusters) {
    extern __shared__ float4 shared_storage[];
    Run* mine = reinterpret_cast<Run*>(shared_storage);
    wait_for_copies<0>();
    __syncthreads();  // the ring's last tiles are read
    leave_sums(mine, sums);
    arrive_at_cluster();
    wait_for_cluster();
    share.rank = part % CLUSTER_SIZE;
    share.read(out, target, [=](int rank) { return in_block(mine, rank); });
    arrive_at_cluster();
    share.send(out, target);
    wait_for_cluster();  // the others have read this block's part: it may go
  } else {
    leave_sums(slot(workspace, tile * SPLIT_K + part), sums);
    if (!is_last_of(CLUSTER_SIZE, &tickets[tile * groups + part / CLUSTER_SIZE])) return;
    const int first = tile * SPLIT_K + part - part % CLUSTER_SIZE;
    for (share.rank = 0; share.rank < CLUSTER_SIZE; ++share.rank) {
      share.read(out, target, [=](int other) { return slot(workspace, first + other); });
      share.send(out, target);
    }
  }
}
