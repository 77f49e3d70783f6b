// The smaller and the larger of two integers, where a constant is wanted: CUDA's own min and max are none.
//
//   constexpr int elements = warptune::device::min_of(RADIX, length);
#pragma once

namespace warptune::device {

__host__ __device__ constexpr int min_of(int a, int b) {
  return a < b ? a : b;
}

__host__ __device__ constexpr int max_of(int a, int b) {
  return a < b ? b : a;
}

}  // namespace warptune::device
