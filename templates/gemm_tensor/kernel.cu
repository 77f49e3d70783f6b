// C = alpha * A * B + beta * C on tensor cores, row-major: A is m x k and B k x n, of half, bfloat16 or, multiplied as
// TF32, of floats (PRECISION); sums and C are floats, as cublasGemmEx offers for all three and as training does where
// it adds up gradients. A C that is not rounded to 16 bits also keeps the check sharp. Or, for the variants FUSION but
// `none`, D = f(alpha * A * B) of the operands' type (fusion.cuh).
//
//   ALGORITHM     mma: warps multiply fragments that they hold in registers (mma.sync, on every tensor core since
//                 Turing); wgmma: warpgroups multiply out of shared memory, which another one keeps filled with boxes
//                 of A and B by bulk copies (compute capability 9.0; rows of whole groups of eight elements)
//   TILE_M, TILE_N, TILE_K  the tile of C per block, and the depth of the tiles that it shares
//   WARP_M, WARP_N  the part of C per warp: each fragment is used WARP_M / 16 or WARP_N / 8 times
//   CONSUMERS     warpgroups that multiply (wgmma)
//   SCHEDULE      cooperative: they share a tile of C; staggered: the same, but the second begins some steps later;
//                 pingpong: each has its own tile. With the last two one multiplies while another writes to C (wgmma)
//   PERSISTENT    a block for each multiprocessor, whose copies go on while a tile is written; else a block for each
//                 tile of C (wgmma)
//   K_ORDER       forward: each tile is summed up from K's begin; alternate: every other one of a persistent block's
//                 from K's end, where the L2 cache still has what was read last (wgmma)
//   LAST_WAVE     the tiles that do not fill all multiprocessors once more: whole; or split along K into equal shares for
//                 all persistent blocks (wgmma, last_wave.cuh)
//   CLUSTER_SIZE  blocks that compute tiles below each other: each copies a part of B's tile to all of them, so that it
//                 leaves the L2 cache once (wgmma)
//   PREFETCH_C    the L2 cache fetches a tile of C while its sums are computed, row after row (wgmma)
//   STAGES        pairs of tiles in shared memory: all but one are on their way while that one is multiplied
//   SMEM_LAYOUT   swizzled: a row's groups of 16 bytes trade places by an XOR with its number; padded: rows are a
//                 little longer instead. Both keep ldmatrix free of bank conflicts; one costs arithmetic, the other
//                 memory
//   COPY_SCHEDULE first: a stage's copies are started before its predecessor's first multiplication; spread: between
//                 them
//   L2_PREFETCH   bytes that the L2 cache shall fetch with a copy's 16, or with a row of a box (0: no hint)
//   FRAGMENTS     sets of fragment registers: 1, or 2, one of which is read a step ahead
//   TRAVERSAL     the order of a warp's multiplications: rows, or columns up and down in turn (serpentine), which keeps
//                 one operand
//   ROUND         TF32 keeps 10 bits of a float's fraction: truncate leaves it to the tensor core; nearest rounds first
//   UNROLL        pairs of tiles between two branches
//   EPILOGUE      direct: each lane writes the sums it holds; shared: warps turn them to whole rows in shared memory,
//                 which the TMA takes to a D of 16 bits (wgmma), or which they write themselves (mma)
//   RASTER_GROUP  tile rows of C that blocks walk together, for the L2 cache; 1: row after row
//   MIN_BLOCKS_PER_SM  blocks that a multiprocessor must hold at once: bounds the registers per thread
//
// Sources: the PTX ISA manual, "Warp Level Matrix Multiply-Accumulate Instructions" (fragments, ldmatrix) and
// "cp.async" (what warpgroups do has its own in wgmma.cuh); Kerr, "Developing CUDA Kernels to Push Tensor Cores to the
// Absolute Limit on NVIDIA A100" (GTC 2020) and Thakkar et al., "CUTLASS" for multi-stage copies, swizzles, fragments
// read ahead and serpentine traversal; Ootomo & Yokota, "Recovering Single Precision Accuracy from Tensor Cores"
// (IJHPCA 2022) for TF32's roundings; Fasi et al., "Numerical Behavior of NVIDIA Tensor Cores" (PeerJ CS 2021) for what
// the sums lose.

#if WGMMA
#include "wgmma.cuh"
#else
#include "mma.cuh"
#endif
