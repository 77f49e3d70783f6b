// D = A * transposed(B) of 8-bit floats (e4m3), scaled: A is m x k and B n x k, both with K along their rows, which is
// what a tensor core multiplies of 8 bits; D is m x n of bfloat16. SCALES: `tensor`, one factor for A and one for B; or
// `blockwise`, one for each 128 elements of a row of A and one for each 128 x 128 elements of B, as DeepSeek-V3 has
// them.
//
// A Hopper tensor core keeps about 14 bits of a sum of 8-bit products. So the sums of 128 products are added to floats
// in registers (promotion), unless FAST_ACCUMULATION leaves whole sums to the tensor core; scales of blocks need it in
// any case.
//
//   ALGORITHM     mma: four warps multiply out of registers (mma.sync; below compute capability 8.9 as halves, which
//                 hold the same numbers); wgmma: warpgroups multiply out of shared memory, which another one keeps
//                 filled by bulk copies (compute capability 9.0; rows of whole 16 bytes)
//   TILE_M, TILE_N  the tile of D per block; its depth is 128, a line of shared memory and a scale's block
//   CONSUMERS     warpgroups that multiply (wgmma)
//   CLUSTER_SIZE  blocks that compute tiles below each other: each copies a part of B's tile to all of them, so that it
//                 leaves the L2 cache once (wgmma)
//   PERSISTENT    a block for each multiprocessor, whose copies go on while a tile is written; else a block for each
//                 tile of D (wgmma)
//   STAGES        pairs of tiles in shared memory: all but one are on their way while that one is multiplied
//   L2_PREFETCH   bytes that the L2 cache shall fetch with a copy's 16, or with a row of a box (0: no hint)
//   RASTER_GROUP  tile rows of D that blocks walk together, for the L2 cache; 1: row after row
//
// Sources: the PTX ISA manual; Micikevicius et al., "FP8 Formats for Deep Learning" (2022); DeepSeek-AI, "DeepSeek-V3
// Technical Report" (2024), section 3.3, for blocks of scales and promotion; Thakkar et al., "CUTLASS" 3.

#if WGMMA
#include "groups.cuh"
#else
#include "warps.cuh"
#endif
