// C = alpha * A * B + beta * C for row-major floats, with K split among blocks: for products whose C has too few tiles
// to fill the device (small ones, and tall-skinny ones with a long K).
//
//   SPLITS   parts of K, each summed up by a block of its own
//   COMBINE  how the parts come together:
//            atomic        C is scaled first, then every part is added to it (in any order: the last bits vary)
//            two_launches  parts go to a workspace, a second launch adds them up in a fixed order
//            last_block    parts go to a workspace; the block that ends last on a tile adds the others' to its own
//   CLUSTER  parts that blocks of a cluster add up first, each a share of the tile, out of each other's shared memory
//            (compute capability 9.0); when these are all parts, nothing else is left to combine
//
// The other parameters are gemm's (../gemm/kernel.cu), whose tiles, ring and product this kernel uses; A's shared tile
// is transposed.
//
// Sources: Kerr et al., "CUTLASS: Fast Linear Algebra in CUDA C++" (2017), on split-K; Osama et al., "Stream-K:
// Work-Centric Parallel Decomposition for Dense Matrix-Matrix Multiplication on the GPU" (PPoPP 2023), on why tiles
// alone leave multiprocessors idle; the CUDA Programming Guide, "Memory Fence Functions", for the block that ends last,
// and "Distributed Shared Memory", for clusters.

#define A_LAYOUT transposed
#define SLICES_K 1

#include "cluster.cuh"
#include "combine.cuh"
#include "operands.cuh"
#include "output.cuh"

// Parts begin at multiples of BLOCK_K, so that every row of a tile starts aligned.
__host__ __device__ inline int first_k_of_part(int part, int k) {
  const int steps = (k - 1) / BLOCK_K + 1;
  const int steps_each = (steps - 1) / SPLITS + 1;
  return min_of(part * steps_each * BLOCK_K, k);
}

// a: m x k, b: k x n, c: m x n floats, row-major, aligned to 16 bytes. A block a tile of C and part of K: x counts
// tiles, y parts. The workspace holds SPLITS tiles for each tile of C (last_block, and clusters where there are none) or
// SPLITS matrices like C (two_launches).
extern "C" __global__ void CLUSTER_OF_BLOCKS __launch_bounds__(threads, MIN_BLOCKS)
    gemm_split_k(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, float* workspace, int m,
                 int n, int k, float alpha, float beta) {
  const int tile = static_cast<int>(blockIdx.x);
  const int part = static_cast<int>(blockIdx.y);
  const Place at = tile_of_block(tile, m, n);
  const Place mine = place_in_block();
  const Operands from{a, b, m, n, k, at, first_k_of_part(part, k), first_k_of_part(part + 1, k)};
  Accumulator sums = {};
  multiply_tiled(sums, from, mine);
  const Place target{at.row + mine.row, at.column + mine.column};
  const Output out{c, m, n, alpha, beta};
  if constexpr (SPLITS == 1) {
    write_sums(c, m, n, sums, target, alpha, beta);
  } else if constexpr (CLUSTER > 1) {
    combine_in_cluster(out, sums, target, workspace, tile, part);
  } else if constexpr (combine == Combine::atomic) {
    add_all(out, sums, target);
  } else if constexpr (combine == Combine::two_launches) {
    write_sums(workspace + static_cast<long long>(part) * m * n, m, n, sums, target, 1.0f, 0.0f);
  } else {
    if (gather_parts(sums, workspace, tile, part)) write_sums(c, m, n, sums, target, alpha, beta);
  }
}

// c *= beta, a thread an element; before parts are added atomically.
extern "C" __global__ void scale_c(float* c, long long size, float beta) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < size) c[i] = beta != 0.0f ? beta * c[i] : 0.0f;
}

// c = alpha * (the sum of all parts) + beta * c, a thread an element.
extern "C" __global__ void add_parts(float* c, const float* __restrict__ workspace, long long size, float alpha,
                                     float beta) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= size) return;
  float sum = 0.0f;
#pragma unroll 4
  for (int part = 0; part < SPLITS; ++part) sum += workspace[part * size + i];
  c[i] = alpha * sum + (beta != 0.0f ? beta * c[i] : 0.0f);
}
