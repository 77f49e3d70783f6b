// The prefix sum over a block's threads, one value each, as the lectures teach it, and by shuffles.
#pragma once

#include <warptune/device/warp.cuh>

using Value = int;

enum class BlockScan { kogge_stone, hillis_steele, brent_kung, brent_kung_divergent, blelloch, shuffle };
constexpr BlockScan block_scan_kind = BlockScan::BLOCK_SCAN;
constexpr int warp = 32;

struct Prefix {
  Value before;  // the sum over the threads before this one
  Value total;   // the sum over the block
};

__device__ inline Prefix prefix_from_inclusive(const Value* sums) {
  const int thread = static_cast<int>(threadIdx.x);
  return {thread > 0 ? sums[thread - 1] : 0, sums[BLOCK_SIZE - 1]};
}

// log2(BLOCK_SIZE) steps with BLOCK_SIZE additions each: the fewest steps, the most work.
__device__ inline Prefix kogge_stone(Value* sums) {
  const int thread = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int stride = 1; stride < BLOCK_SIZE; stride *= 2) {
    const Value left = thread >= stride ? sums[thread - stride] : 0;
    __syncthreads();
    sums[thread] += left;
    __syncthreads();
  }
  return prefix_from_inclusive(sums);
}

// The same with two buffers that take turns: a step reads one and writes the other, and a barrier is saved.
__device__ inline Prefix hillis_steele(Value* buffers) {
  const int thread = static_cast<int>(threadIdx.x);
  Value* from = buffers;
  Value* to = buffers + BLOCK_SIZE;
#pragma unroll
  for (int stride = 1; stride < BLOCK_SIZE; stride *= 2) {
    to[thread] = thread >= stride ? from[thread - stride] + from[thread] : from[thread];
    __syncthreads();
    Value* const written = to;
    to = from;
    from = written;
  }
  return prefix_from_inclusive(from);
}

// Sums of 2, 4, 8 … neighbours, each at the place of its last.
__device__ inline void reduce_upwards(Value* sums) {
#pragma unroll
  for (int stride = 1; stride < BLOCK_SIZE; stride *= 2) {
    const int last = (static_cast<int>(threadIdx.x) + 1) * 2 * stride - 1;
    if (last < BLOCK_SIZE) sums[last] += sums[last - stride];
    __syncthreads();
  }
}

// Twice the steps, but only about 2 * BLOCK_SIZE additions in all.
__device__ inline Prefix brent_kung(Value* sums) {
  reduce_upwards(sums);
#pragma unroll
  for (int stride = BLOCK_SIZE / 4; stride > 0; stride /= 2) {
    const int last = (static_cast<int>(threadIdx.x) + 1) * 2 * stride - 1;
    if (last + stride < BLOCK_SIZE) sums[last + stride] += sums[last];
    __syncthreads();
  }
  return prefix_from_inclusive(sums);
}

// Each thread for its own element: of all threads, every second, fourth, eighth … adds, so that every warp diverges.
__device__ inline Prefix brent_kung_divergent(Value* sums) {
  const int thread = static_cast<int>(threadIdx.x);
  for (int stride = 1; stride < BLOCK_SIZE; stride *= 2) {
    if ((thread + 1) % (2 * stride) == 0) sums[thread] += sums[thread - stride];
    __syncthreads();
  }
  for (int stride = BLOCK_SIZE / 4; stride > 0; stride /= 2) {
    if (thread >= stride && (thread + 1) % (2 * stride) == stride) sums[thread] += sums[thread - stride];
    __syncthreads();
  }
  return prefix_from_inclusive(sums);
}

// As Brent and Kung upwards; downwards each node hands its left child what came before it, its right child that and the
// left child's sum: an exclusive scan without a shift.
__device__ inline Prefix blelloch(Value* sums) {
  const int thread = static_cast<int>(threadIdx.x);
  reduce_upwards(sums);
  const Value total = sums[BLOCK_SIZE - 1];
  __syncthreads();
  if (thread == 0) sums[BLOCK_SIZE - 1] = 0;
  __syncthreads();
#pragma unroll
  for (int stride = BLOCK_SIZE / 2; stride > 0; stride /= 2) {
    const int last = (thread + 1) * 2 * stride - 1;
    if (last < BLOCK_SIZE) {
      const Value left = sums[last - stride];
      sums[last - stride] = sums[last];
      sums[last] += left;
    }
    __syncthreads();
  }
  return {sums[thread], total};
}

// Kogge and Stone within warps, through registers. Every warp then scans the warps' sums for itself: cheaper than a
// second barrier.
__device__ inline Prefix shuffle_scan(Value value, Value* sums) {
  constexpr int warps = BLOCK_SIZE / warp;
  const int thread = static_cast<int>(threadIdx.x);
  const int lane = thread % warp;
  const Value inclusive = warptune::device::warp_inclusive_sum(value);
  if (lane == warp - 1) sums[thread / warp] = inclusive;
  __syncthreads();
  const Value warp_sums = warptune::device::warp_inclusive_sum(lane < warps ? sums[lane] : 0);
  const Value up_to_last = __shfl_sync(0xffffffffu, warp_sums, thread > warp - 1 ? thread / warp - 1 : 0);
  return {inclusive - value + (thread < warp ? 0 : up_to_last), __shfl_sync(0xffffffffu, warp_sums, warps - 1)};
}

// All threads call it together. Between two calls there must be a barrier.
__device__ inline Prefix block_scan(Value value) {
  constexpr int buffers = block_scan_kind == BlockScan::hillis_steele ? 2 : 1;
  __shared__ Value sums[buffers * BLOCK_SIZE];
  if constexpr (block_scan_kind == BlockScan::shuffle) return shuffle_scan(value, sums);
  sums[threadIdx.x] = value;
  __syncthreads();
  if constexpr (block_scan_kind == BlockScan::kogge_stone) return kogge_stone(sums);
  if constexpr (block_scan_kind == BlockScan::hillis_steele) return hillis_steele(sums);
  if constexpr (block_scan_kind == BlockScan::brent_kung) return brent_kung(sums);
  if constexpr (block_scan_kind == BlockScan::brent_kung_divergent) return brent_kung_divergent(sums);
  return blelloch(sums);
}
