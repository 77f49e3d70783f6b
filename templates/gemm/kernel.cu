// C = alpha * A * B + beta * C for row-major matrices of floats or doubles: C is m x n, A is m x k or, transposed, lies
// as k x m, B k x n or n x k. Which, the problem says (PRECISION, TRANSPOSE_A, TRANSPOSE_B).
//
//   ALGORITHM   naive: every operand comes from global memory; tiled: blocks share tiles of A and B in shared memory
//   BLOCK_M, BLOCK_N, BLOCK_K     the tile of C a block computes, and the depth of the tiles it shares
//   THREAD_M, THREAD_N            the part of C a thread keeps in registers: each value read is used that often
//   SLICES_K    groups of threads that share the block's tile of C and split the shared tiles' depth among them
//   LANES_M     how many of a warp's 32 threads lie along M; the others lie along N (the warp's tile)
//   LANE_ORDER  rows: neighbours along N; zigzag: pairs of lanes along M first, so that two quarter-warps share a fetch
//   A_LAYOUT    of A's tile: transposed (k-major: a thread reads neighbours along M) or rows (as in memory: along K)
//   A_SKEW      of A's tile, and a transposed B's, against bank conflicts: plain, padded by four, swizzled by an XOR
//   VECTOR      elements moved by one access to global memory
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

#include "naive.cuh"
#include "output.cuh"

// a: m x k, b: k x n, each perhaps transposed, c: m x n; row-major, aligned to 16 bytes. One block a tile of C, in a
// one-dimensional grid; STAGES * (a_tile + b_tile) elements of dynamic shared memory if tiled.
extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS)
    gemm(const Element* __restrict__ a, const Element* __restrict__ b, Element* __restrict__ c, int m, int n, int k,
         Element alpha, Element beta) {
  const Place at = tile_of_block(static_cast<int>(blockIdx.x), m, n);
  const Place mine = place_in_block();
  const Operands from{a, b, m, n, k, at, 0, k};
  Accumulator sums = {};
  if constexpr (algorithm == Algorithm::naive) {
    multiply_naively(sums, from, mine);
  } else {
    multiply_tiled(sums, from, mine);
  }
  if (static_cast<int>(threadIdx.x) >= slice_threads) return;
  write_sums(c, m, n, sums, {at.row + mine.row, at.column + mine.column}, alpha, beta);
}
