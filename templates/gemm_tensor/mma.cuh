// The product by warps. The parameters are described in kernel.cu.
#pragma once

#include "fusion.cuh"
#include "output.cuh"
#include "warp_tiles.cuh"

// a: m x k, b: k x n; row-major, aligned to 16 bytes. A block per tile of C, in a one-dimensional grid; dynamic shared
// memory for STAGES pairs of tiles or the warps' rows of C, whichever is larger.
#if FUSED
// d: m x n, or m x (n / 2) of swiglu; vector and residual: what the fusion names, else anything.
extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS_PER_SM)
    gemm_tensor_mma(const Element* __restrict__ a, const Element* __restrict__ b, Element* __restrict__ d,
                    const float* __restrict__ vector, const Element* __restrict__ residual, int m, int n, int k,
                    float alpha) {
  extern __shared__ uint4 shared_storage[];
  const Place at = tile_of_block(static_cast<int>(blockIdx.x), m, n);
  const Place warp = warp_in_block();
  Sums sums = {};
  multiply_tile(sums, shared_address(shared_storage), a, b, at, warp, m, n, k);
  const Place mine{at.row + warp.row, at.column + warp.column};
  const Fused to{d, vector, residual, m, n, alpha};
  write_fused<tiles_m, tiles_n>(to, mine, 16, [&](int i, int j, int number) { return sums[i][j][number]; });
}
#else
// c: m x n.
extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS_PER_SM)
    gemm_tensor_mma(const Element* __restrict__ a, const Element* __restrict__ b, float* __restrict__ c, int m, int n,
                    int k, float alpha, float beta) {
  extern __shared__ uint4 shared_storage[];
  const Place at = tile_of_block(static_cast<int>(blockIdx.x), m, n);
  const Place warp = warp_in_block();
  Sums sums = {};
  multiply_tile(sums, shared_address(shared_storage), a, b, at, warp, m, n, k);
  const Place mine{at.row + warp.row, at.column + warp.column};
  const Result result{c, m, n, alpha, beta};
  if constexpr (output == Output::shared) {
    wait_for_copies<0>();
    __syncthreads();
    write_rows(result, sums, mine, reinterpret_cast<float*>(shared_storage));
  } else {
    write_directly(result, sums, mine);
  }
}
#endif
