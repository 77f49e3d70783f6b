// C = alpha * A * B + beta * C in FP32 on tensor cores, row-major: A is m x k, B k x n. Tensor cores multiply no
// floats, but TF32 and bfloat16. Each float is split into parts of these, whose products are exact in FP32, and the
// products of parts that matter are added up: as right as FP32's own multiplications and additions, or more so.
//
//   ALGORITHM     mma: warps split floats in registers and multiply by mma.sync (any tensor core that knows both
//                 formats); wgmma_packed: a first launch splits A and B and leaves the parts in the order in which
//                 warpgroups multiply them out of shared memory, fed by bulk copies (compute capability 9.0);
//                 wgmma_fused: some warpgroups split floats into shared memory, others multiply (the same)
//   EMULATION     tf32x3: two parts, three of their four products; bf16x6, bf16x9: three parts, those six of their nine
//                 products that exceed a rounding of FP32, or all
//   TILE_M, TILE_N, TILE_K  the tile of C per block, and the depth of the tiles that it shares. Sums of this depth
//                 (mma: of one step) leave the tensor core and are added up outside: it cuts sums off instead of
//                 rounding them, errors that do not cancel
//   WARP_M, WARP_N  the part of C per warp (mma)
//   SPLITTERS     warpgroups that split (wgmma_fused)
//   UNROLL        multiplications along K between two branches (mma)
//   STAGES        pairs of tiles in shared memory: all but one are on their way while that one is multiplied
//   SPLIT_K       blocks that share the depth of a tile of C; a further launch adds up what they leave
//   PERSISTENT    a block for each multiprocessor, whose copies go on while a tile is written; else a block for each
//                 tile of C (wgmma)
//   RASTER_GROUP  tile rows of C that blocks walk together, for the L2 cache; 1: row after row
//   MIN_BLOCKS_PER_SM  blocks that a multiprocessor must hold at once: bounds the registers per thread (mma)
//
// Sources: Ootomo & Yokota, "Recovering single precision accuracy from Tensor Cores while surpassing the FP32
// theoretical peak performance" (IJHPCA 2022), for three products of TF32 and for sums outside of the tensor core;
// Henry, Tang & Heinecke, "Leveraging the bfloat16 Artificial Intelligence Datatype For Higher-Precision Computations"
// (ARITH 2019) for three bfloat16; Fasi et al., "Numerical behavior of NVIDIA tensor cores" (PeerJ CS 2021) for what
// they cut off; Thakkar et al., "CUTLASS", which has three products of TF32 too.

#if IS_PACKED
#include "packed.cuh"
#elif IS_FUSED
#include "fused.cuh"
#else
#include "mma.cuh"
#endif
