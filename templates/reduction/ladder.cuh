// The lectures' ladder within a block: each step adds up `sums`, one float per thread, and mends what slowed the one
// before (Harris 2007). What the ladder does while it loads is said by COARSENING (first add at load) and BLOCKS_PER_SM
// (several elements per thread).
#pragma once

constexpr int warp = 32;

// Neighbours first: threads 0, 2, 4 ... add, then 0, 4, 8 ... Active threads thin out within every warp, so that each
// warp diverges in almost every step.
__device__ inline void interleaved_tree(float* sums) {
  const int thread = static_cast<int>(threadIdx.x);
  for (int stride = 1; stride < BLOCK_SIZE; stride *= 2) {
    if (thread % (2 * stride) == 0) sums[thread] += sums[thread + stride];
    __syncthreads();
  }
}

// The same additions by threads 0, 1, 2 ...: whole warps drop out, and only the last one diverges. But a warp's threads
// now reach for elements 2 * stride apart, which share banks.
__device__ inline void strided_index_tree(float* sums) {
  const int thread = static_cast<int>(threadIdx.x);
  for (int stride = 1; stride < BLOCK_SIZE; stride *= 2) {
    const int index = 2 * stride * thread;
    if (index < BLOCK_SIZE) sums[index] += sums[index + stride];
    __syncthreads();
  }
}

// Halves: active threads stay together, and neighbours read neighbouring banks.
__device__ inline void sequential_tree(float* sums) {
  const int thread = static_cast<int>(threadIdx.x);
  for (int stride = BLOCK_SIZE / 2; stride > 0; stride /= 2) {
    if (thread < stride) sums[thread] += sums[thread + stride];
    __syncthreads();
  }
}

// A step within one warp needs no barrier of the block. Older code leaves out the warp's own barriers as well, for its
// threads once ran in lockstep; since compute capability 7.0 they need not.
__device__ inline void add_within_warp(float* sums, int stride) {
  const int thread = static_cast<int>(threadIdx.x);
  const float right = sums[thread + stride];
  __syncwarp();
  sums[thread] += right;
  __syncwarp();
}

// The last six steps, by the first warp alone and without a loop. All its threads join in each step: what those beyond
// `stride` compute is never used.
__device__ inline void last_warp(float* sums) {
  if (threadIdx.x < warp) {
    add_within_warp(sums, 32);
    add_within_warp(sums, 16);
    add_within_warp(sums, 8);
    add_within_warp(sums, 4);
    add_within_warp(sums, 2);
    add_within_warp(sums, 1);
  }
}

__device__ inline void unroll_last_warp_tree(float* sums) {
  const int thread = static_cast<int>(threadIdx.x);
  for (int stride = BLOCK_SIZE / 2; stride > warp; stride /= 2) {
    if (thread < stride) sums[thread] += sums[thread + stride];
    __syncthreads();
  }
  last_warp(sums);
}

// The block's size is known to the compiler: no loop is left, and no step that a smaller block does not have.
__device__ inline void fully_unrolled_tree(float* sums) {
  const int thread = static_cast<int>(threadIdx.x);
  if constexpr (BLOCK_SIZE >= 1024) {
    if (thread < 512) sums[thread] += sums[thread + 512];
    __syncthreads();
  }
  if constexpr (BLOCK_SIZE >= 512) {
    if (thread < 256) sums[thread] += sums[thread + 256];
    __syncthreads();
  }
  if constexpr (BLOCK_SIZE >= 256) {
    if (thread < 128) sums[thread] += sums[thread + 128];
    __syncthreads();
  }
  if constexpr (BLOCK_SIZE >= 128) {
    if (thread < 64) sums[thread] += sums[thread + 64];
    __syncthreads();
  }
  last_warp(sums);
}

// Butterfly: lanes that differ in one bit exchange their sums, and in the end every lane has the warp's.
__device__ inline float butterfly_sum(float value, float* sums) {
  const int thread = static_cast<int>(threadIdx.x);
  const float sum_of_warp = warptune::device::warp_sum(value);
  if (thread % warp == 0) sums[thread / warp] = sum_of_warp;
  __syncthreads();
  return thread < warp ? warptune::device::warp_sum(thread < BLOCK_SIZE / warp ? sums[thread] : 0.0f) : 0.0f;
}
