// C = alpha * A * B + beta * C for row-major matrices of floats or doubles: C is m x n, A is m x k or, transposed, lies
// as k x m, B k x n or n x k. Which, the problem says (PRECISION, TRANSPOSE_A, TRANSPOSE_B).
//
//   ALGORITHM                   naive: every operand comes from global memory; tiled: blocks share tiles of A and B
//   TILE_M, TILE_N, TILE_K      the tile of C per block, and the depth of the tiles that it shares
//   COARSENING_M, COARSENING_N  rows and columns of C per thread, in registers: each value read is used that often
//   SLICED_K      groups of threads that share the block's tile of C and split the shared tiles' depth among them
//   LANES_M       threads of a warp along M; the other 32 / LANES_M lie along N (the warp's tile)
//   LANE_ORDER    rows: neighbours along N; zigzag: pairs of lanes along M first, so that two quarter-warps share a
//                 fetch
//   LAYOUT_A      of A's tile: column (k-major: a thread reads neighbours along M) or row (as in memory: along K)
//   PADDING_A     elements added to each row of A's tile, and of a transposed B's, against bank conflicts
//   SWIZZLE_A     instead of padding: such a row's groups of four elements trade places by an XOR with its number
//   VECTOR_WIDTH  elements moved by one access to global memory
//   COPY          registers: tiles pass through registers; async: cp.async (plain copies below compute capability 8.0)
//   STAGES        tiles in shared memory at once: 1, 2 (double buffering) or more (async only)
//   FRAGMENTS     sets of fragment registers: 1, or 2, one of which is read a step ahead (double buffering again)
//   TRAVERSAL     the order of a thread's multiplications in its part of C: rows, columns, or columns up and down in
//                 turn (serpentine)
//   UNROLL        steps along K between two branches
//   RASTER_GROUP  tile rows of C that blocks walk together, for the L2 cache; 1: row after row
//   MIN_BLOCKS_PER_SM  blocks that a multiprocessor must hold at once: bounds the registers per thread
//
// Sources: Kirk & Hwu, "Programming Massively Parallel Processors", ch. 4-6 (tiles, coarsening); Volkov & Demmel,
// "Benchmarking GPUs to Tune Dense Linear Algebra" (SC 2008) for register tiles; Nath, Tomov & Dongarra, "An Improved
// MAGMA GEMM for Fermi" (2010) for double buffering; Gray, "SGEMM" (maxas wiki, 2014) for lane orders; Kerr et al.,
// "CUTLASS: Fast Linear Algebra in CUDA C++" (NVIDIA developer blog, 2017) for warp tiles and rasterisation; the CUDA
// Programming Guide, "Asynchronous Data Copies", for cp.async and stages.

#include "naive.cuh"
#include "output.cuh"

// a: m x k, b: k x n, each perhaps transposed, c: m x n; row-major, aligned to 16 bytes. One block per tile of C, in a
// one-dimensional grid; STAGES * (a_tile + b_tile) elements of dynamic shared memory if tiled.
extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS_PER_SM)
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
