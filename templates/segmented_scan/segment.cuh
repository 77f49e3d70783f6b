// The operator of a segmented scan, and its prefix over a block's threads in four ways.
#pragma once

using Value = int;

enum class BlockScan { kogge_stone, brent_kung, shuffle, ballot };
constexpr BlockScan block_scan_kind = BlockScan::BLOCK_SCAN;
constexpr int warp = 32;
constexpr unsigned full_warp = 0xffffffffu;

// A stretch of elements: what it hands to the elements behind it. Its sum reaches back to its last head, or to its
// beginning if it has none.
struct Part {
  Value sum = 0;
  unsigned has_head = 0;
};

// Associative, not commutative (Schwartz 1980; Blelloch 1990): a head on the right cuts the left off.
__device__ inline Part joined(const Part& left, const Part& right) {
  return {right.sum + (right.has_head != 0 ? 0 : left.sum), left.has_head | right.has_head};
}

struct Prefix {
  Part before;  // the threads before this one
  Part total;   // the block
};

__device__ inline Prefix prefix_from_inclusive(const Part* parts) {
  const int thread = static_cast<int>(threadIdx.x);
  return {thread > 0 ? parts[thread - 1] : Part{}, parts[BLOCK_SIZE - 1]};
}

// log2(BLOCK_SIZE) steps in which all threads join: the fewest steps, the most work.
__device__ inline Prefix kogge_stone(Part* parts) {
  const int thread = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int stride = 1; stride < BLOCK_SIZE; stride *= 2) {
    const Part left = thread >= stride ? parts[thread - stride] : Part{};
    __syncthreads();
    parts[thread] = joined(left, parts[thread]);
    __syncthreads();
  }
  return prefix_from_inclusive(parts);
}

// Up a tree and down again: twice the steps, about 2 * BLOCK_SIZE joins in all.
__device__ inline Prefix brent_kung(Part* parts) {
  const int node = static_cast<int>(threadIdx.x) + 1;
#pragma unroll
  for (int stride = 1; stride < BLOCK_SIZE; stride *= 2) {
    const int last = node * 2 * stride - 1;
    if (last < BLOCK_SIZE) parts[last] = joined(parts[last - stride], parts[last]);
    __syncthreads();
  }
#pragma unroll
  for (int stride = BLOCK_SIZE / 4; stride > 0; stride /= 2) {
    const int last = node * 2 * stride - 1;
    if (last + stride < BLOCK_SIZE) parts[last + stride] = joined(parts[last], parts[last + stride]);
    __syncthreads();
  }
  return prefix_from_inclusive(parts);
}

__device__ inline Part from_lanes_left(const Part& part, int offset) {
  return {__shfl_up_sync(full_warp, part.sum, offset), __shfl_up_sync(full_warp, part.has_head, offset)};
}

// Sums and heads both change hands.
__device__ inline Part warp_shuffle(Part part) {
  const int lane = static_cast<int>(threadIdx.x) % warp;
#pragma unroll
  for (int offset = 1; offset < warp; offset *= 2) {
    const Part left = from_lanes_left(part, offset);
    if (lane >= offset) part = joined(left, part);
  }
  return part;
}

// One ballot tells each lane where its segment begins; from there on only sums change hands, half as many shuffles
// (Sengupta, Harris, Garland & Owens 2008 bound the scan likewise, with indices from a scan of maxima).
__device__ inline Part warp_ballot(Part part) {
  const int lane = static_cast<int>(threadIdx.x) % warp;
  const unsigned heads = __ballot_sync(full_warp, static_cast<int>(part.has_head)) & ((2u << lane) - 1);
  const int begin = heads != 0 ? 31 - __clz(static_cast<int>(heads)) : 0;
#pragma unroll
  for (int offset = 1; offset < warp; offset *= 2) {
    const Value left = __shfl_up_sync(full_warp, part.sum, offset);
    if (lane - offset >= begin) part.sum += left;
  }
  part.has_head = heads != 0 ? 1 : 0;
  return part;
}

__device__ inline Part warp_inclusive(const Part& part) {
  return block_scan_kind == BlockScan::ballot ? warp_ballot(part) : warp_shuffle(part);
}

// Warps first, in registers; then every warp scans the warps' parts for itself, which spares a second barrier.
__device__ inline Prefix scan_by_warps(const Part& part, Part* parts) {
  constexpr int warps = BLOCK_SIZE / warp;
  const int lane = static_cast<int>(threadIdx.x) % warp;
  const int my_warp = static_cast<int>(threadIdx.x) / warp;
  const Part inclusive = warp_inclusive(part);
  if (lane == warp - 1) parts[my_warp] = inclusive;
  __syncthreads();
  const Part up_to_warp = warp_inclusive(lane < warps ? parts[lane] : Part{});
  const auto of_warp = [&up_to_warp](int index) {
    return Part{__shfl_sync(full_warp, up_to_warp.sum, index), __shfl_sync(full_warp, up_to_warp.has_head, index)};
  };
  const Part last = of_warp(my_warp > 0 ? my_warp - 1 : 0);
  const Part left = from_lanes_left(inclusive, 1);
  return {joined(my_warp > 0 ? last : Part{}, lane > 0 ? left : Part{}), of_warp(warps - 1)};
}

// All threads call it together. Between two calls there must be a barrier.
__device__ inline Prefix block_scan(const Part& part) {
  __shared__ int2 storage[BLOCK_SIZE];
  Part* parts = reinterpret_cast<Part*>(storage);
  if constexpr (block_scan_kind == BlockScan::shuffle || block_scan_kind == BlockScan::ballot) {
    return scan_by_warps(part, parts);
  } else {
    parts[threadIdx.x] = part;
    __syncthreads();
    return block_scan_kind == BlockScan::kogge_stone ? kogge_stone(parts) : brent_kung(parts);
  }
}
