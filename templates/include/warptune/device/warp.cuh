// Sums over the 32 threads of a warp, by shuffles: through registers, without shared memory or barriers.
//
// All lanes of the warp call together. Blocks have whole warps, and a warp's threads are neighbours along x (a block of
// one dimension, or one whose extent along x is a multiple of 32). `Number` is what __shfl_sync takes: 4 or 8 bytes.
// Sources: Luitjens, "Faster Parallel Reductions on Kepler" (NVIDIA developer blog, 2014); Kogge & Stone, "A Parallel
// Algorithm for the Efficient Solution of a General Class of Recurrence Equations" (1973) for the scan; CUDA C++
// Programming Guide, "Warp Shuffle Functions".
#pragma once

namespace warptune::device {

constexpr int warp_size = 32;
constexpr unsigned whole_warp = 0xffffffffu;

// This thread's number within its warp.
__device__ inline int lane_of_thread() {
  return static_cast<int>(threadIdx.x) % warp_size;
}

// The sum over each group of `Lanes` neighbours, in all of them: lanes that differ in one bit exchange their sums
// (butterfly). Lanes is a power of two.
template <int Lanes = warp_size, class Number>
__device__ inline Number warp_sum(Number value) {
#pragma unroll
  for (int distance = Lanes / 2; distance > 0; distance /= 2) value += __shfl_xor_sync(whole_warp, value, distance);
  return value;
}

// The sum over each group of `Lanes` neighbours, in the first lane of the group; the others get parts of it. Lanes is a
// power of two. The additions pair as in a tree over shared memory.
template <int Lanes = warp_size, class Number>
__device__ inline Number sum_in_first_lane(Number value) {
#pragma unroll
  for (int distance = Lanes / 2; distance > 0; distance /= 2)
    value += __shfl_down_sync(whole_warp, value, distance, Lanes);
  return value;
}

// The sum over this lane and those before it (inclusive scan). The sum before this lane is it less `value`, the warp's
// is that of lane 31.
template <class Number>
__device__ inline Number warp_inclusive_sum(Number value) {
  const int lane = lane_of_thread();
#pragma unroll
  for (int distance = 1; distance < warp_size; distance *= 2) {
    const Number left = __shfl_up_sync(whole_warp, value, distance);
    if (lane >= distance) value += left;
  }
  return value;
}

}  // namespace warptune::device
