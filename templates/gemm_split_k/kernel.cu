// C = alpha * A * B + beta * C for row-major floats, with K split among blocks: for products whose C has too few tiles
// to fill the device (small ones, and tall-skinny ones with a long K).
//
//   SPLIT_K   parts of K, each summed up by a block of its own
//   STREAM_K  0, or instead of SPLIT_K: so many blocks per multiprocessor, each an equal share of all tiles' steps
//   COMBINE   how the parts come together:
//             atomic        C is scaled first, then every part is added to it (in any order: the last bits vary)
//             two_launches  parts go to a workspace, a second launch adds them up in a fixed order
//             last_block    parts go to a workspace; the block that ends last on a tile adds the others' to its own
//   CLUSTER_SIZE  parts that blocks of a cluster add up first, each a share of the tile, out of each other's shared
//             memory (compute capability 9.0); when these are all parts, nothing else is left to combine
//
// The other parameters are gemm's (../gemm/kernel.cu), whose tiles, ring and product this kernel uses; A's shared tile
// is transposed.
//
// Sources: Kerr et al., "CUTLASS: Fast Linear Algebra in CUDA C++" (2017), on split-K; Osama et al., "Stream-K:
// Work-Centric Parallel Decomposition for Dense Matrix-Matrix Multiplication on the GPU" (PPoPP 2023), on why tiles
// alone leave multiprocessors idle; the CUDA Programming Guide, "Memory Fence Functions", for the block that ends last,
// and "Distributed Shared Memory", for clusters.

#define LAYOUT_A column
#define SLICED_K 1

#include "cluster.cuh"
#include "combine.cuh"
#include "operands.cuh"
#include "output.cuh"
#include "shares.cuh"

// Parts begin at multiples of TILE_K, so that every row of a tile starts aligned.
__host__ __device__ inline int first_k_of_part(int part, int k) {
  const int steps = (k - 1) / TILE_K + 1;
  return min_of(static_cast<int>(static_cast<long long>(part) * steps / SPLIT_K) * TILE_K, k);
}

__device__ inline void multiply_part(const float* a, const float* b, const Output& out, float* workspace, int k) {
  const int tile = static_cast<int>(blockIdx.x);
  const int part = static_cast<int>(blockIdx.y);
  const Place at = tile_of_block(tile, out.m, out.n);
  const Place mine = place_in_block();
  Accumulator sums = {};
  multiply_tiled(sums, {a, b, out.m, out.n, k, at, first_k_of_part(part, k), first_k_of_part(part + 1, k)}, mine);
  const Place target{at.row + mine.row, at.column + mine.column};
  if constexpr (SPLIT_K == 1) {
    write_sums(out.c, out.m, out.n, sums, target, out.alpha, out.beta);
  } else if constexpr (CLUSTER_SIZE > 1) {
    combine_in_cluster(out, sums, target, workspace, tile, part);
  } else if constexpr (combine == Combine::atomic) {
    add_all(out, sums, target);
  } else if constexpr (combine == Combine::two_launches) {
    write_sums(workspace + static_cast<long long>(part) * out.m * out.n, out.m, out.n, sums, target, 1.0f, 0.0f);
  } else {
    if (gather_parts(sums, workspace, &tickets[tile], part, SPLIT_K, [=](int other) { return tile * SPLIT_K + other; }))
      write_sums(out.c, out.m, out.n, sums, target, out.alpha, out.beta);
  }
}

// a: m x k, b: k x n, c: m x n floats, row-major, aligned to 16 bytes. A block per tile of C and part of K: x counts
// tiles, y parts; or a block per share, if STREAM_K says so. The workspace holds SPLIT_K tiles for each tile of C
// (last_block, and clusters where there are none), two tiles per share (last_block) or SPLIT_K matrices like C
// (two_launches).
extern "C" __global__ void CLUSTER_OF_BLOCKS __launch_bounds__(threads, MIN_BLOCKS_PER_SM)
    gemm_split_k(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, float* workspace,
                 int m, int n, int k, float alpha, float beta) {
  if constexpr (STREAM_K > 0) {
    multiply_share(a, b, {c, m, n, alpha, beta}, workspace, k);
  } else {
    multiply_part(a, b, {c, m, n, alpha, beta}, workspace, k);
  }
}

// What a thread of the launches around the product has to do: ELEMENTWISE neighbours in C, a vector if C consists of
// them.
using Elements = Pack<ELEMENTWISE>;

__device__ inline long long first_element() {
  return (static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x) * ELEMENTWISE;
}

// c *= beta; before parts are added atomically.
extern "C" __global__ void scale_c(float* c, long long size, float beta) {
  const long long i = first_element();
  if (i >= size) return;
  const Elements zeros{};
  write_run<ELEMENTWISE>(c + i, zeros.at, 0.0f, beta);
}

// c = alpha * (the sum of all parts) + beta * c
extern "C" __global__ void add_parts(float* c, const float* __restrict__ workspace, long long size, float alpha,
                                     float beta) {
  const long long i = first_element();
  if (i >= size) return;
  const Elements old = read_run<ELEMENTWISE>(c + i, beta);
  Elements sums{};
#pragma unroll 4
  for (int part = 0; part < SPLIT_K; ++part) {
    const Elements addend = load<ELEMENTWISE>(workspace + part * size + i);
#pragma unroll
    for (int j = 0; j < ELEMENTWISE; ++j) sums.at[j] += addend.at[j];
  }
  write_run<ELEMENTWISE>(c + i, sums.at, old, alpha, beta);
}
