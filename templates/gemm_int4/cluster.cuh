// Parts of a tile that the blocks of a cluster add up out of each other's shared memory (compute capability 9.0 and
// later); elsewhere the block that ends last does it out of memory. The parameters are described in kernel.cu.
#pragma once

#include "output.cuh"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && CLUSTERED
#define CLUSTER_OF_BLOCKS __cluster_dims__(SPLIT_K, 1, 1)
constexpr bool in_clusters = true;
#else
#define CLUSTER_OF_BLOCKS
constexpr bool in_clusters = false;
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

// Until all threads of the cluster are here; what they wrote before can be read.
__device__ inline void meet_cluster() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
#endif
}

// tile: in each block of the cluster its own sums, rows of TILE_N, known to the block. Each block adds up a share,
// always in the same order.
template <int Threads>
__device__ inline void add_up_in_cluster(const Result& to, const Run* tile, Place at, int rank) {
  constexpr int per_row = TILE_N / run;
  const int count = min_of(TILE_M, to.m - at.row) * per_row;
  meet_cluster();
  for (int i = rank * Threads + static_cast<int>(threadIdx.x); i < count; i += SPLIT_K * Threads) {
    Run sums{};
#pragma unroll
    for (int part = 0; part < SPLIT_K; ++part) {
      const Run more = in_block(tile, part)[i];
#pragma unroll
      for (int j = 0; j < run; ++j) sums.at[j] += more.at[j];
    }
    write_rounded(to, at.row + i / per_row, at.column + i % per_row * run, sums);
  }
  meet_cluster();  // the others have read this block's sums: it may go
}
