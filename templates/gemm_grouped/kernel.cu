// The products of a mixture-of-experts layer: D's rows offsets[e] to offsets[e + 1] are those of A times B[e]. A is
// tokens x k with the tokens of each expert below each other, B has a k x n matrix for each expert, D is tokens x n;
// all row-major, of half or bfloat16 (PRECISION), with sums in floats. The offsets are in the device's memory: no host
// knows how many rows an expert has, and an expert may have none (ROUTING says how they are drawn).
//
// An expert's rows are cut into tiles of their own. Tiles are numbered through all experts, and a block finds out
// itself which expert its tile belongs to (search.cuh). A tile's rows past the end of an expert are multiplied with
// what lies there, and not written.
//
//   ALGORITHM     mma: warps multiply fragments that they hold in registers (mma.sync); wgmma: warpgroups multiply out
//                 of shared memory, which another one keeps filled by bulk copies (compute capability 9.0; rows of
//                 whole 16 bytes)
//   TILE_M, TILE_N, TILE_K  the tile of D per block, and the depth of the tiles that it shares
//   WARP_M, WARP_N  the part of D per warp (mma)
//   CONSUMERS     warpgroups that multiply (wgmma)
//   SCHEDULE      cooperative: they share a tile of D, and one without rows lets the other have the tensor cores;
//                 pingpong: each has its own, so that one multiplies while another writes (wgmma)
//   PERSISTENT    as many blocks as the device holds go from tile to tile; else a block for each tile that there may be
//   TILE_ORDER    of persistent blocks: every so many tiles (index), or whichever comes next (ticket)
//   GROUP_SEARCH  walk: from expert to expert, on from where the last tile was; prefix_sums: each block adds up the
//                 experts' tiles once, and halves the range
//   STAGES        pairs of tiles in shared memory: all but one are on their way while that one is multiplied
//   L2_PREFETCH   bytes that the L2 cache shall fetch with a copy's 16, or with a row of a box (0: no hint)
//   RASTER_GROUP  tile rows of an expert that blocks walk together, for the L2 cache; 1: row after row
//   MIN_BLOCKS_PER_SM  blocks that a multiprocessor must hold at once (mma)
//
// Sources: Shazeer et al., "Outrageously Large Neural Networks" (2017), for the layer; Gale et al., "MegaBlocks"
// (MLSys 2023), for experts of any number of rows without padding; Thakkar et al., "CUTLASS", grouped GEMM, for
// persistent blocks that find their group; what gemm_tensor names for the products.

#if WGMMA
#include "groups.cuh"
#else
#include "warps.cuh"
#endif
