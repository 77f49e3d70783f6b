// The product by warps, whose fragments pass through registers on their way from shared memory to the tensor cores. The
// parameters are described in kernel.cu.
#pragma once

#include "fragments.cuh"
#include "output.cuh"
#include "ring.cuh"

// One after the other, or one step ahead: each step's fragments are then read during the step before, and the ring
// turns before the last step, whose multiplications hide the barrier and the first reads behind it.
__device__ inline void multiply_pair(Sums& sums, Ring& ring, const Reader& reader, Fragments (&fragments)[FRAGMENTS]) {
  constexpr bool ahead = FRAGMENTS == 2;
#pragma unroll
  for (int step = 0; step < steps; ++step) {
    Fragments& next = fragments[(step + 1) % FRAGMENTS];
    if constexpr (!ahead) reader.read(next, ring.a_tile(), ring.b_tile(), step);
    ring.send(step);
    if (ahead && step + 1 == steps) ring.turn();
    if constexpr (ahead) reader.read(next, ring.a_tile(), ring.b_tile(), (step + 1) % steps);
    multiply_fragments(sums, fragments[step % FRAGMENTS]);
  }
  if constexpr (!ahead) ring.turn();
}

__device__ inline void multiply_all(Sums& sums, Ring& ring, const Reader& reader, int k) {
  static_assert(steps % 2 == 0, "two sets of fragments take turns within a pair of tiles");
  ring.start();
  Fragments fragments[FRAGMENTS];
  if constexpr (FRAGMENTS == 2) reader.read(fragments[0], ring.a_tile(), ring.b_tile(), 0);
  constexpr int unroll = UNROLL;
#pragma unroll unroll
  for (int done = 0; done < k; done += BLOCK_K) multiply_pair(sums, ring, reader, fragments);
}

// a: m x k, b: k x n, c: m x n; row-major, aligned to 16 bytes. A block a tile of C, in a one-dimensional grid; dynamic
// shared memory for STAGES pairs of tiles or the warps' rows of C, whichever is larger.
extern "C" __global__ void __launch_bounds__(threads, MIN_BLOCKS)
    gemm_tensor_mma(const Element* __restrict__ a, const Element* __restrict__ b, float* __restrict__ c, int m, int n,
                    int k, float alpha, float beta) {
  extern __shared__ uint4 shared_storage[];
  const Place at = tile_of_block(static_cast<int>(blockIdx.x), m, n);
  const Place warp = warp_in_block();
  Ring ring{shared_address(shared_storage), source_of<LayoutOfA, A_ALIGNED>(a, m, k, {at.row, 0}),
            source_of<LayoutOfB, B_ALIGNED>(b, k, n, {0, at.column})};
  Sums sums = {};
  multiply_all(sums, ring, reader_of(warp), k);
  const Result result{c, m, n, alpha, beta};
  const Place mine{at.row + warp.row, at.column + warp.column};
  if constexpr (output == Output::shared) {
    wait_for_copies<0>();
    __syncthreads();
    write_rows(result, sums, mine, reinterpret_cast<float*>(shared_storage));
  } else {
    write_directly(result, sums, mine);
  }
}
