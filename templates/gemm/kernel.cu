// C = alpha * A * B + beta * C for row-major floats: A is m x k, B is k x n, C is m x n.
//
//   ALGORITHM   naive: every operand comes from global memory; tiled: blocks share tiles of A and B in shared memory
//   BLOCK_M, BLOCK_N, BLOCK_K     the tile of C a block computes, and the depth of the tiles it shares
//   THREAD_M, THREAD_N            the part of C a thread keeps in registers: each value read is used that often
//   SLICES_K    groups of threads that share the block's tile of C and split the shared tiles' depth among them
//   LANES_M     how many of a warp's 32 threads lie along M; the others lie along N (the warp's tile)
//   LANE_ORDER  rows: neighbours along N; zigzag: pairs of lanes along M first, so that two quarter-warps share a fetch
//   A_LAYOUT    of A's tile: transposed (k-major: a thread reads neighbours along M) or rows (as in memory: along K)
//   A_SKEW      of A's tile against bank conflicts: plain, padded by four floats, swizzled by an XOR
//   VECTOR      floats moved by one access to global memory
//   COPY        registers: tiles pass through registers; async: cp.async (plain copies below compute capability 8.0)
//   STAGES      tiles in shared memory at once: 1, 2 (double buffering) or more (async only)
//   FRAGMENTS   sets of fragment registers: 1, or 2, one of which is read a step ahead (double buffering again)
//   SWEEP       the order of a thread's multiplications in its part of C: rows, columns, or columns as a snake
//   UNROLL      steps along K unrolled at once
//   GROUP_M     tile rows of C that blocks walk together, for the L2 cache; 1: row after row
//   MIN_BLOCKS  blocks a multiprocessor must hold at once: bounds the registers a thread gets
//
// Sources: Kirk & Hwu, "Programming Massively Parallel Processors", ch. 4-6 (tiles, coarsening); Volkov & Demmel,
// "Benchmarking GPUs to Tune Dense Linear Algebra" (SC 2008) for register tiles; Nath, Tomov & Dongarra, "An Improved
// MAGMA GEMM for Fermi" (2010) for double buffering; Gray, "SGEMM" (maxas wiki, 2014) for lane orders; Kerr et al.,
// "CUTLASS: Fast Linear Algebra in CUDA C++" (NVIDIA developer blog, 2017) for warp tiles and rasterisation; the CUDA
// Programming Guide, "Asynchronous Data Copies", for cp.async and stages.

#include "ring.cuh"

// The first element of this block's tile of C. Blocks walk GROUP_M tile rows together, column by column: those in
// flight then share rows of A and columns of B in the L2 cache.
__device__ inline Place tile_of_block(int m, int n) {
  const int tiles_m = (m - 1) / BLOCK_M + 1;
  const int tiles_n = (n - 1) / BLOCK_N + 1;
  const int block = static_cast<int>(blockIdx.x);
  const int group = block / (GROUP_M * tiles_n);
  const int rest = block - group * (GROUP_M * tiles_n);
  const int height = min_of(tiles_m - group * GROUP_M, GROUP_M);
  return {(group * GROUP_M + rest % height) * BLOCK_M, rest / height * BLOCK_N};
}

// The fragment of A for k_step steps from k on: values[i][step].
__device__ inline void read_a(float (&values)[THREAD_M][k_step], const float* tile, int row, int k) {
  if constexpr (a_layout == Layout::rows) {
#pragma unroll
    for (int i = 0; i < THREAD_M; ++i) {
      const Pack<4> pack = load<4>(tile + place_of_a(row + row_offset(i), k));
#pragma unroll
      for (int step = 0; step < k_step; ++step) values[i][step] = pack.at[step];
    }
  } else {
#pragma unroll
    for (int i = 0; i < THREAD_M; i += run_m) {
      const Pack<run_m> pack = load<run_m>(tile + place_of_a(row + row_offset(i), k));
#pragma unroll
      for (int j = 0; j < run_m; ++j) values[i + j][0] = pack.at[j];
    }
  }
}

__device__ inline void read_b(float (&values)[THREAD_N], const float* tile, int k, int column) {
#pragma unroll
  for (int j = 0; j < THREAD_N; j += run_n) {
    const Pack<run_n> pack = load<run_n>(tile + k * BLOCK_N + column + column_offset(j));
#pragma unroll
    for (int l = 0; l < run_n; ++l) values[j + l] = pack.at[l];
  }
}

// The product's operands, and the first element of C that the block computes.
struct Operands {
  const float* a;
  const float* b;
  int m;
  int n;
  int k;
  Place at;
};

using Accumulator = float[THREAD_M][THREAD_N];

// What a thread multiplies: its values of A for k_step steps along K, its values of B for one.
struct Fragments {
  float a[THREAD_M][k_step];
  float b[THREAD_N];
};

// The order decides which operands the register file's reuse caches hold, and so how often a multiplication waits for
// its third operand: along rows, along columns, or down one column and up the next (snake), so that not even the turn
// needs two new ones.
__device__ inline void multiply_fragments(Accumulator& sums, const Fragments& fragments, int step) {
  constexpr bool by_rows = sweep == Sweep::rows;
  constexpr int outer_size = by_rows ? THREAD_M : THREAD_N;
  constexpr int inner_size = by_rows ? THREAD_N : THREAD_M;
#pragma unroll
  for (int outer = 0; outer < outer_size; ++outer) {
#pragma unroll
    for (int l = 0; l < inner_size; ++l) {
      const int inner = sweep == Sweep::snake && outer % 2 == 1 ? inner_size - 1 - l : l;
      const int i = by_rows ? outer : inner;
      const int j = by_rows ? inner : outer;
      sums[i][j] += fragments.a[i][step] * fragments.b[j];
    }
  }
}

// Where along K this thread's slice of the tiles begins.
__device__ inline int first_k_of_slice() {
  return SLICES_K == 1 ? 0 : static_cast<int>(threadIdx.x) / slice_threads * slice_k;
}

// Multiplies the pair and turns the ring.
template <int Width>
__device__ inline void multiply_pair(Accumulator& sums, Ring<Width>& ring, Place mine) {
  const float* a = ring.a_stage(ring.reading);
  const float* b = ring.b_stage(ring.reading);
  const int slice = first_k_of_slice();
#pragma unroll 1
  for (int first = 0; first < slice_k; first += UNROLL) {
#pragma unroll
    for (int k = 0; k < UNROLL; k += k_step) {
      Fragments fragments;
      read_a(fragments.a, a, mine.row, slice + first + k);
#pragma unroll
      for (int step = 0; step < k_step; ++step) {
        read_b(fragments.b, b, slice + first + k + step, mine.column);
        multiply_fragments(sums, fragments, step);
      }
    }
  }
  ring.turn();
}

template <int Width>
__device__ inline void read_fragments(Fragments& fragments, const Ring<Width>& ring, int stage, Place mine, int k) {
  read_a(fragments.a, ring.a_stage(stage), mine.row, first_k_of_slice() + k);
  read_b(fragments.b, ring.b_stage(stage), first_k_of_slice() + k, mine.column);
}

// The same, one step ahead: each step's fragments are read during the step before. The ring turns before the last step,
// whose multiplications hide the barrier and the first reads behind it.
template <int Width>
__device__ inline void multiply_pair_ahead(Accumulator& sums, Ring<Width>& ring, Place mine,
                                           Fragments (&fragments)[2]) {
  const int stage = ring.reading;
#pragma unroll
  for (int k = 0; k < slice_k; ++k) {
    if (k + 1 < slice_k) {
      read_fragments(fragments[(k + 1) % 2], ring, stage, mine, k + 1);
    } else {
      ring.turn();
      read_fragments(fragments[0], ring, ring.reading, mine, 0);
    }
    multiply_fragments(sums, fragments[k % 2], 0);
  }
}

// Adds the slices' sums to those of slice 0, through shared memory that the ring no longer needs.
__device__ inline void add_slices(Accumulator& sums, float* shared) {
  const int thread = static_cast<int>(threadIdx.x) % slice_threads;
  const int slice = static_cast<int>(threadIdx.x) / slice_threads;
  wait_for_copies<0>();
  for (int other = 1; other < SLICES_K; ++other) {
    __syncthreads();
#pragma unroll
    for (int i = 0; i < THREAD_M * THREAD_N; ++i) {
      if (slice == other) shared[i * slice_threads + thread] = sums[i / THREAD_N][i % THREAD_N];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < THREAD_M * THREAD_N; ++i) {
      if (slice == 0) sums[i / THREAD_N][i % THREAD_N] += shared[i * slice_threads + thread];
    }
  }
}

template <int Width>
__device__ inline void multiply_tiled(Accumulator& sums, const Operands& from, Place mine) {
  extern __shared__ float4 shared_storage[];
  using Rings = Ring<Width>;
  Rings ring{reinterpret_cast<float*>(shared_storage),
             window_on<typename Rings::ShareA>(from.a, from.m, from.k, from.at.row, 0),
             window_on<typename Rings::ShareB>(from.b, from.k, from.n, 0, from.at.column)};
  ring.start();
  Fragments fragments[2];
  if constexpr (FRAGMENTS == 2) read_fragments(fragments[0], ring, 0, mine, 0);
  for (int k = 0; k < from.k; k += BLOCK_K) {
    ring.send_next();
    if constexpr (FRAGMENTS == 2) {
      multiply_pair_ahead(sums, ring, mine, fragments);
    } else {
      multiply_pair(sums, ring, mine);
    }
  }
  if constexpr (SLICES_K > 1) add_slices(sums, ring.shared);
}

// Every operand from global memory, once for each use. Rows and columns outside C read the border's instead: what they
// sum up is never stored.
__device__ inline void multiply_naively(Accumulator& sums, const Operands& from, Place mine) {
#pragma unroll unroll
  for (int k = 0; k < from.k; ++k) {
    float b[THREAD_N];
#pragma unroll
    for (int j = 0; j < THREAD_N; ++j) {
      const int column = min_of(from.at.column + mine.column + column_offset(j), from.n - 1);
      b[j] = from.b[static_cast<long long>(k) * from.n + column];
    }
#pragma unroll
    for (int i = 0; i < THREAD_M; ++i) {
      const int row = min_of(from.at.row + mine.row + row_offset(i), from.m - 1);
      const float a = from.a[static_cast<long long>(row) * from.k + k];
#pragma unroll
      for (int j = 0; j < THREAD_N; ++j) sums[i][j] += a * b[j];
    }
  }
}

// C is not read where beta is zero, as in BLAS: it may hold NaNs then.
template <int Width>
__device__ inline void write_run(float* c, const float* sums, float alpha, float beta) {
  Pack<Width> result{};
  if (beta != 0.0f) result = load<Width>(c);
#pragma unroll
  for (int j = 0; j < Width; ++j) result.at[j] = alpha * sums[j] + (beta != 0.0f ? beta * result.at[j] : 0.0f);
  *reinterpret_cast<Pack<Width>*>(c) = result;
}

__device__ inline void write_sums(float* c, int m, int n, const Accumulator& sums, Place at, float alpha, float beta) {
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
        if (column < n) write_run<run_n>(run, &sums[i][j], alpha, beta);
      } else {
#pragma unroll
        for (int l = 0; l < run_n; ++l) {
          if (column + l < n) write_run<1>(run + l, &sums[i][j + l], alpha, beta);
        }
      }
    }
  }
}

// a: m x k, b: k x n, c: m x n floats, row-major, aligned to 16 bytes. One block a tile of C, in a one-dimensional
// grid; STAGES * (a_tile + b_tile) floats of dynamic shared memory if tiled.
extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS)
    gemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n, int k,
         float alpha, float beta) {
  const Place at = tile_of_block(m, n);
  const Place mine = place_in_block();
  const Operands from{a, b, m, n, k, at};
  Accumulator sums = {};
  if constexpr (algorithm == Algorithm::naive) {
    multiply_naively(sums, from, mine);
  } else if (k % VECTOR == 0 && n % VECTOR == 0) {  // rows of A and B start aligned
    multiply_tiled<VECTOR>(sums, from, mine);
  } else {
    multiply_tiled<1>(sums, from, mine);
  }
  if (static_cast<int>(threadIdx.x) >= slice_threads) return;
  write_sums(c, m, n, sums, {at.row + mine.row, at.column + mine.column}, alpha, beta);
}
