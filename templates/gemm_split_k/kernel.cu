// C = alpha * A * B + beta * C for row-major floats, with K split among blocks: for products whose C has too few tiles
// to fill the device (small ones, and tall-skinny ones with a long K).
//
//   SPLITS   parts of K, each summed up by a block of its own
//   COMBINE  how the parts come together:
//            atomic        C is scaled first, then every part is added to it (in any order: the last bits vary)
//            two_launches  parts go to a workspace, a second launch adds them up in a fixed order
//            last_block    parts go to a workspace; the block that ends last on a tile adds the others' to its own
//
// The other parameters are gemm's (../gemm/kernel.cu), whose tiles, ring and product this kernel uses; A's shared tile
// is transposed.
//
// Sources: Kerr et al., "CUTLASS: Fast Linear Algebra in CUDA C++" (2017), on split-K; Osama et al., "Stream-K:
// Work-Centric Parallel Decomposition for Dense Matrix-Matrix Multiplication on the GPU" (PPoPP 2023), on why tiles
// alone leave multiprocessors idle; the CUDA Programming Guide, "Memory Fence Functions", for the block that ends last.

#define A_LAYOUT transposed
#define SLICES_K 1

#include "operands.cuh"
#include "output.cuh"

enum class Combine { atomic, two_launches, last_block };
constexpr Combine combine = Combine::COMBINE;

// Parts begin at multiples of BLOCK_K, so that every row of a tile starts aligned.
__host__ __device__ inline int first_k_of_part(int part, int k) {
  const int steps = (k - 1) / BLOCK_K + 1;
  const int steps_each = (steps - 1) / SPLITS + 1;
  return min_of(part * steps_each * BLOCK_K, k);
}

// Hopper adds four floats by one instruction.
__device__ inline void add_run(float* c, const float* sums, float alpha) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  if constexpr (run_n == 4) {
    asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(c), "f"(alpha * sums[0]), "f"(alpha * sums[1]),
                 "f"(alpha * sums[2]), "f"(alpha * sums[3])
                 : "memory");
    return;
  }
#endif
#pragma unroll
  for (int j = 0; j < run_n; ++j) atomicAdd(c + j, alpha * sums[j]);
}

__device__ inline void add_sums(float* c, int m, int n, const Accumulator& sums, Place at, float alpha) {
  const bool vectors = n % run_n == 0;
#pragma unroll
  for (int i = 0; i < THREAD_M; ++i) {
    const int row = at.row + row_offset(i);
    if (row >= m) continue;
#pragma unroll
    for (int j = 0; j < THREAD_N; j += run_n) {
      const int column = at.column + column_offset(j);
      float* run = c + static_cast<long long>(row) * n + column;
      if (vectors) {
        if (column < n) add_run(run, &sums[i][j], alpha);
      } else {
#pragma unroll
        for (int l = 0; l < run_n; ++l) {
          if (column + l < n) atomicAdd(run + l, alpha * sums[i][j + l]);
        }
      }
    }
  }
}

// A tile's part in the workspace lies as threads hold it, neighbours next to each other: place i of this thread.
__device__ inline long long place_in_workspace(int tile, int part, int i) {
  return ((static_cast<long long>(tile) * SPLITS + part) * (THREAD_M * THREAD_N) + i) * threads + threadIdx.x;
}

// Leaves this part for whoever ends last on the tile. True for that block, whose sums then hold all parts.
__device__ inline bool gather_parts(Accumulator& sums, float* workspace, unsigned* counters, int tile, int part) {
  __shared__ bool is_last;
#pragma unroll
  for (int i = 0; i < THREAD_M * THREAD_N; ++i)
    workspace[place_in_workspace(tile, part, i)] = sums[i / THREAD_N][i % THREAD_N];
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    is_last = atomicAdd(&counters[tile], 1u) == SPLITS - 1;
    if (is_last) counters[tile] = 0;  // ready for the next run
  }
  __syncthreads();
  if (!is_last) return false;
  __threadfence();
  for (int other = 0; other < SPLITS; ++other) {
    if (other == part) continue;
#pragma unroll
    for (int i = 0; i < THREAD_M * THREAD_N; ++i)
      sums[i / THREAD_N][i % THREAD_N] += workspace[place_in_workspace(tile, other, i)];
  }
  return true;
}

// a: m x k, b: k x n, c: m x n floats, row-major, aligned to 16 bytes. A block a tile of C and part of K: x counts
// tiles, y parts. The workspace holds SPLITS tiles for each tile of C (last_block) or SPLITS matrices like C
// (two_launches); counters, one a tile, are zero before and after.
extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS)
    gemm_split_k(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, float* workspace,
                 unsigned* counters, int m, int n, int k, float alpha, float beta) {
  const int tile = static_cast<int>(blockIdx.x);
  const int part = static_cast<int>(blockIdx.y);
  const Place at = tile_of_block(tile, m, n);
  const Place mine = place_in_block();
  const Operands from{a, b, m, n, k, at, first_k_of_part(part, k), first_k_of_part(part + 1, k)};
  Accumulator sums = {};
  multiply_tiled(sums, from, mine);
  const Place target{at.row + mine.row, at.column + mine.column};
  if constexpr (SPLITS == 1) {
    write_sums(c, m, n, sums, target, alpha, beta);
  } else if constexpr (combine == Combine::atomic) {
    add_sums(c, m, n, sums, target, alpha);
  } else if constexpr (combine == Combine::two_launches) {
    write_sums(workspace + static_cast<long long>(part) * m * n, m, n, sums, target, 1.0f, 0.0f);
  } else {
    if (gather_parts(sums, workspace, counters, tile, part)) write_sums(c, m, n, sums, target, alpha, beta);
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
