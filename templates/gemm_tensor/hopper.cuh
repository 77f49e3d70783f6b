// What only compute capability 9.0 has: bulk copies and warpgroups, of the shared headers, and the multiplications of
// this template's formats. On the host hopper_emulation.cuh takes their place.
#pragma once

#include <warptune/device/bulk_copy.cuh>
#include <warptune/device/warpgroup.cuh>

#include "formats.cuh"

using namespace warptune::device;

#ifdef WARPTUNE_HOST
#include "hopper_emulation.cuh"
#else
using Pending = StartedProducts;
#include "wgmma_shapes.cuh"

// A warp writes four 8 x 8 matrices of 16 bits to shared memory, of which its lanes hold pairs as of mma.sync's
// results. row: of each lane, where one row of 16 bytes goes; lanes 8i to 8i + 7 name those of matrix i.
__device__ inline void store_matrices(Window row, const unsigned (&words)[4]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(row), "r"(words[0]),
               "r"(words[1]), "r"(words[2]), "r"(words[3])
               : "memory");
}
#endif

// Where a matrix lies in shared memory, in lines of 128 bytes whose 16-byte pieces are swizzled. Byte offsets count in
// units of 16. K-major (A): a line is a row's 64 elements along K, and eight lines below are `eight_lines` away; what
// lies beside a line is not looked at. Otherwise (B): a line is 64 elements along N of one k; eight lines below are
// eight further k, and the next 64 elements along N are `next_line` away. The manual says the latter in words of its
// own ("Strides"); CUTLASS (cute/atom/mma_traits_sm90_gmma.hpp, make_gmma_desc) draws the layouts.
__device__ inline unsigned long long descriptor(Window start, int next_line, int eight_lines) {
  constexpr unsigned long long swizzle_of_128_bytes = 1ull << 62;
  return swizzle_of_128_bytes | descriptor_field(static_cast<unsigned>(eight_lines), 32) |
         descriptor_field(static_cast<unsigned>(next_line), 16) | descriptor_field(start, 0);
}
