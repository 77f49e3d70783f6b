// output[i] = the maximum of a window of WINDOW values, which begins at input[i] or has it at its centre (the variant
// POSITION); beyond the ends is nothing. Neighbouring windows share all of their values but two.
//
//   ALGORITHM   direct: a thread reads its whole window through the caches; tiled: from the block's tile in shared
//               memory; doubling: the block makes maxima of 2, 4, 8 … values from pairs of the maxima before, and each
//               window from two of them, which may overlap; van_herk: a thread makes WINDOW windows from the suffixes
//               of one segment and the prefixes of the next
//   BOUNDARY    direct: limits: the loop ends with the input, so that the last threads make fewer steps than the others
//               of their warp; checks: all make WINDOW steps, and a value outside counts as minus infinity
//   BLOCK_SIZE  threads per block
//   COARSENING  outputs per thread, a block's width apart (van_herk: WINDOW neighbours instead)
//   UNROLL      values of a window between two branches
//
// Sources: Kirk & Hwu, "Programming Massively Parallel Processors", ch. 4 (divergence) and ch. 7 (tiles with halos);
// Bender & Farach-Colton, "The LCA Problem Revisited" (2000), for maxima of powers of two ("sparse tables"); van Herk,
// "A Fast Algorithm for Local Minimum and Maximum Filters on Rectangular and Octagonal Kernels" (Pattern Recognition
// Letters 1992); Gil & Werman, "Computing 2-D Min, Median, and Max Filters" (PAMI 1993).

#include "shared.cuh"

// The loop's limits depend on the thread: it ends where the input does.
__device__ inline float max_within_limits(const float* input, long long first, long long size) {
  const long long begin = max(first, 0ll);
  const long long end = min(first + window, size);
  float maximum = nothing();
#pragma unroll(unroll)
  for (long long i = begin; i < end; ++i) maximum = fmaxf(maximum, input[i]);
  return maximum;
}

__device__ inline float max_with_checks(const float* input, long long first, long long size) {
  float maximum = nothing();
#pragma unroll(unroll)
  for (int i = 0; i < window; ++i) maximum = fmaxf(maximum, at(input, first + i, size));
  return maximum;
}

__device__ inline void max_directly(const float* input, float* output, long long size) {
#pragma unroll
  for (int j = 0; j < COARSENING; ++j) {
    const long long i = first_output() + j * BLOCK_SIZE + static_cast<int>(threadIdx.x);
    if (i >= size) return;
    if constexpr (boundary == Boundary::limits) {
      output[i] = max_within_limits(input, i - before, size);
    } else {
      output[i] = max_with_checks(input, i - before, size);
    }
  }
}

// input, output: `size` floats. A block makes `outputs` windows. Dynamic shared memory: what `stored` and the algorithm
// need.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    window_max1d(const float* __restrict__ input, float* __restrict__ output, long long size) {
  extern __shared__ float tile[];
  if constexpr (algorithm == Algorithm::direct) max_directly(input, output, size);
  if constexpr (algorithm == Algorithm::tiled) max_in_tile(input, output, tile, size);
  if constexpr (algorithm == Algorithm::doubling) max_by_doubling(input, output, tile, size);
  if constexpr (algorithm == Algorithm::van_herk) max_by_segments(input, output, tile, size);
}
