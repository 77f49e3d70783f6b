// D = A * dequantised(B), with 4-bit weights: A is m x k of bfloat16 or half (PRECISION), row-major, as is D, m x n.
// Sums are floats. Weights lie as GPTQ's checkpoints have them: word (i, j) of a row-major ceil(k / 8) x n matrix has
// the weights of rows 8i to 8i + 7 of B, the first in its lowest bits, in column j. Each GROUP_SIZE rows of a column
// share a scale, of A's type, and a zero point (ZERO_POINTS): 8 (symmetric), or four bits of a row-major matrix of
// words, eight neighbouring columns each (groups). B's element is (weight - zero point) * scale.
//
//   ALGORITHM     mma: warps multiply fragments that they hold in registers (mma.sync); wgmma: warpgroups multiply
//                 weights in their registers by A's tile in shared memory, which another warpgroup keeps filled by bulk
//                 copies (compute capability 9.0; rows of whole 16 bytes)
//   TILE_M, TILE_N, TILE_K  the tile of D per block, and the depth of the tiles in shared memory
//   WARP_M, WARP_N  the part of D per warp (mma)
//   CONSUMERS     warpgroups that multiply (wgmma)
//   PERSISTENT    a block for each multiprocessor, whose copies go on while a tile is written; else a block for each
//                 tile of D (wgmma)
//   SLICED_K      groups of warps that share the depth of a tile, and add up their sums at the end
//   SPLIT_K       blocks that share the depth of an output: few rows of A have few tiles
//   COMBINE       their parts are added up by a second launch, or by whichever block of a tile ends last (mma)
//   OVERLAP       the second launch begins while the first one's last blocks end (programmatic dependent launch)
//   STAGES        tiles in shared memory at once: all but one are on their way while that one is multiplied
//   CONVERSION    4-bit weights to 16-bit numbers by bits that are put under an exponent (magic), or by conversions of
//                 integers and floats (arithmetic)
//   SCALING       scales multiply weights, or the sums of each group's products; raw: zero points multiply sums of A, too,
//                 which a multiplication by ones gives, instead of being subtracted from weights
//   L2_PREFETCH   bytes that the L2 cache shall fetch with a copy's 16, or with a row of a box (0: no hint)
//   RASTER_GROUP  tile rows of D that blocks walk together, for the L2 cache; 1: row after row
//   MIN_BLOCKS_PER_SM  blocks that a multiprocessor must hold at once: bounds the registers per thread
//
// Sources: Frantar et al., "GPTQ" (2022) for the format; Lin et al., "AWQ" (2023) for groups with zero points; Kim et
// al., "Who Says Elephants Can't Run" (2022) for the conversion; Frantar et al., "MARLIN: Mixed-Precision
// Auto-Regressive Parallel Inference on Large Language Models" (2024) for the pipeline; the PTX ISA manual.

#if WGMMA
#include "wgmma.cuh"
#else
#include "mma.cuh"
#endif

// The sum of all blocks' parts, four neighbours a thread.
extern "C" __global__ void add_up(float* parts, Element* __restrict__ d, int m, int n) {
  const int per_row = (n - 1) / run + 1;
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= static_cast<long long>(m) * per_row) return;
  if (OVERLAP) warptune::device::wait_for_previous_launch();
  add_parts({d, parts, nullptr, m, n}, static_cast<int>(i / per_row), static_cast<int>(i % per_row) * run);
}
