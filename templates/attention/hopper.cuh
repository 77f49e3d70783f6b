// What only compute capability 9.0 has: bulk copies and warpgroups, of the shared headers, barriers of some of a
// block's warps ("bar" in the PTX ISA manual), and this template's multiplications. On the host hopper_emulation.cuh
// takes their place.
#pragma once

#include <warptune/device/bulk_copy.cuh>
#include <warptune/device/warpgroup.cuh>

#include "numbers.cuh"

using namespace warptune::device;

#ifdef WARPTUNE_HOST
#include "hopper_emulation.cuh"
#else
using Pending = StartedProducts;
#include "wgmma_shapes.cuh"

// Hardware barriers 1, 2 ... of two warpgroups each: one waits, the other only says that it has come.
__device__ inline void wait_for_turn(Window, int number) {
  asm volatile("bar.sync %0, 256;" ::"r"(number) : "memory");
}
__device__ inline void give_turn(Window, int number) {
  asm volatile("bar.arrive %0, 256;" ::"r"(number) : "memory");
}
#endif

// Where a matrix lies in shared memory, in lines of 128 bytes (64 elements) whose 16-byte pieces are swizzled; eight
// lines take 1024 bytes. Q and K: a line is a row's elements along the head dimension, the multiplication's depth.
// V: a line is a key's elements along the head dimension, the product's columns; the next 64 of them are `next_line`
// bytes away (PTX ISA, "Strides"; CUTLASS, cute/atom/mma_traits_sm90_gmma.hpp, make_gmma_desc).
__device__ inline unsigned long long descriptor(Window start, int next_line) {
  constexpr unsigned long long swizzle_of_128_bytes = 1ull << 62;
  return swizzle_of_128_bytes | descriptor_field(1024, 32) | descriptor_field(static_cast<unsigned>(next_line), 16) |
         descriptor_field(start, 0);
}
