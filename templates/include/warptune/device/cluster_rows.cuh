// Rows that the blocks of a thread block cluster share: what each block has found out about its part becomes what all
// know about the row (compute capability 9.0; elsewhere a cluster is one block).
//
//   const ClusterPart part = part_of_cluster<4, 8>(columns);   // of this block, in columns; it begins aligned
//   reduce_over_cluster<4>(states, combine);                   // behind reduce_over_rows: in all threads of all blocks
//
// The blocks of a cluster are neighbours along x. All threads of all its blocks call together, as often as each other.
// Shared memory: the states of each block. Source: PTX ISA, "mapa" and "barrier.cluster"; CUDA C++ Programming Guide,
// "Distributed Shared Memory".
#pragma once

namespace warptune::device {

// The columns of a row that this block has: `count` from `first` on. All but the last block have equally many.
struct ClusterPart {
  int first;
  int count;
};

// Vectors of Width elements are not divided. The row has a vector at least for each block.
template <int ClusterSize, int Width>
__device__ inline ClusterPart part_of_cluster(int columns) {
  if constexpr (ClusterSize == 1) {
    return {0, columns};
  } else {
    constexpr int granule = ClusterSize * Width;
    const int most = (columns + granule - 1) / granule * Width;
    const int first = static_cast<int>(blockIdx.x % ClusterSize) * most;
    return {first, min(most, columns - first)};
  }
}

// All accesses before it are done, in all threads of the cluster, before any behind it begins.
__device__ inline void meet_in_cluster() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  __syncwarp();
  asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

// What block `rank` of the cluster has at the place of `mine`, in shared memory.
__device__ inline float in_block_of_cluster(const float* mine, [[maybe_unused]] int rank) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  const unsigned own = static_cast<unsigned>(__cvta_generic_to_shared(mine));
  unsigned theirs;
  float value;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(theirs) : "r"(own), "r"(rank));
  asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(value) : "r"(theirs) : "memory");
  return value;
#else
  return *mine;
#endif
}

// Over the blocks of the cluster, of states that all threads of a block have. They are combined in the blocks' order,
// so that all blocks get the same bits. State: a float or a struct of floats.
template <int ClusterSize, class State, int Rows, class Combine>
__device__ inline void reduce_over_cluster(State (&states)[Rows], Combine combine) {
  if constexpr (ClusterSize > 1) {
    constexpr int floats = static_cast<int>(sizeof(states) / sizeof(float));
    __shared__ float of_block[floats];
    if (threadIdx.x == 0) {
#pragma unroll
      for (int i = 0; i < floats; ++i) of_block[i] = reinterpret_cast<const float*>(states)[i];
    }
    meet_in_cluster();
#pragma unroll
    for (int rank = 0; rank < ClusterSize; ++rank) {
      State theirs[Rows];
#pragma unroll
      for (int i = 0; i < floats; ++i) reinterpret_cast<float*>(theirs)[i] = in_block_of_cluster(of_block + i, rank);
#pragma unroll
      for (int r = 0; r < Rows; ++r) states[r] = rank == 0 ? theirs[r] : combine(states[r], theirs[r]);
    }
    meet_in_cluster();  // the others have read this block's: it may change them, and end
  }
}

}  // namespace warptune::device
