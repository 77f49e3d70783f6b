// What only compute capability 9.0 has: bulk copies and warpgroups, of the shared headers, and this template's
// multiplications. On the host hopper_emulation.cuh takes their place.
#pragma once

#include <warptune/device/bulk_copy.cuh>
#include <warptune/device/warpgroup.cuh>

#include "problem.cuh"

using namespace warptune::device;

#ifdef WARPTUNE_HOST
#include "hopper_emulation.cuh"
#else
using Pending = StartedProducts;
#include "wgmma_shapes.cuh"
#endif

// A matrix in shared memory whose rows are lines of 128 bytes (64 elements along K) with swizzled 16-byte pieces; eight
// of them take 1024 bytes (PTX ISA, "Strides"; CUTLASS, cute/atom/mma_traits_sm90_gmma.hpp, make_gmma_desc).
__device__ inline unsigned long long descriptor(Window start) {
  constexpr unsigned long long swizzle_of_128_bytes = 1ull << 62;
  return swizzle_of_128_bytes | descriptor_field(1024, 32) | descriptor_field(start, 0);
}
