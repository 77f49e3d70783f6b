// o = softmax(q transposed(k) / sqrt(d)) v for each head of each sequence, on tensor cores, without the matrix of
// scores in memory: tile by tile of keys its scores become exponentials, which are multiplied with the tile's values at
// once. A maximum that grows scales down what has been summed so far. Elements are half or bfloat16 (PRECISION), all
// sums floats. Where it is causal, the last query belongs to the last key, and a query sees no key behind its own.
// Heads of queries share those of keys and values in groups of HEADS / KV_HEADS.
//
//   ALGORITHM     mma: warps multiply fragments that they hold in registers (mma.sync, mma.cuh); wgmma: warpgroups
//                 multiply out of shared memory, which another one keeps filled by bulk copies (wgmma.cuh)
//   TILE_M        queries per block
//   TILE_N        keys per step
//   STAGES        tiles of K, and as many of V, in shared memory at once
//   WARP_M        queries per warp: each fragment of K and V is used WARP_M / 16 times (mma)
//   Q_MEMORY      where queries wait for each tile of keys: in registers, or in shared memory (mma)
//   MIN_BLOCKS_PER_SM  blocks that a multiprocessor must hold at once: bounds the registers per thread (mma)
//   SCHEDULE      independent; or pingpong: warpgroups take turns, so that one multiplies while another computes
//                 exponentials (wgmma)
//   PERSISTENT    a block for each multiprocessor, which begins to read the next tile while it writes one; else a block
//                 for each tile (wgmma)
//   RASTER_GROUP  heads that blocks walk together, for the L2 cache. Where it is causal their longest tiles come first
//
// Sources: Dao et al., "FlashAttention" (NeurIPS 2022); Dao, "FlashAttention-2" (2023); Shah et al., "FlashAttention-3"
// (2024); Milakov & Gimelshein, "Online normalizer calculation for softmax" (2018); Ainslie et al., "GQA" (2023) for
// groups of heads.

#if WGMMA
#include "wgmma.cuh"
#else
#include "mma.cuh"
#endif
