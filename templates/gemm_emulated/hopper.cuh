// What only compute capability 9.0 has: bulk copies and warpgroups, of the shared headers, and this template's
// multiplications. On the host hopper_emulation.cuh takes their place.
#pragma once

#include <warptune/device/bulk_copy.cuh>
#include <warptune/device/warpgroup.cuh>

#include "parts.cuh"

using namespace warptune::device;

#ifdef WARPTUNE_HOST
#include "hopper_emulation.cuh"
#else
using Pending = StartedProducts;
#include "wgmma_shapes.cuh"
#endif

// Where rows lie in shared memory, K-major and not swizzled: 16 bytes of eight rows are consecutive. From one piece of
// 16 bytes along K to the next it is `next_piece` bytes, from eight rows to the next eight 128. Byte offsets count in
// units of 16. (CUTLASS, cute/atom/mma_traits_sm90_gmma.hpp, names the layout INTERLEAVE and draws it.)
__device__ inline unsigned long long descriptor(Window start, int next_piece) {
  return descriptor_field(128, 32) | descriptor_field(static_cast<unsigned>(next_piece), 16) |
         descriptor_field(start, 0);
}
