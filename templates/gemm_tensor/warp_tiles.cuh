// The sums of a tile by warps, whose fragments pass through registers on their way from shared memory to the tensor
// cores. The parameters are described in kernel.cu.
#pragma once

#include "fragments.cuh"
#include "ring.cuh"

// Each step's fragments are read when they are needed.
__device__ inline void multiply_pair(Sums& sums, Ring& ring, const Reader& reader) {
#pragma unroll
  for (int step = 0; step < steps; ++step) {
    Fragments fragments;
    reader.read(fragments, ring.a_tile(), ring.b_tile(), step);
    ring.send(step);
    multiply_fragments(sums, fragments);
  }
  ring.turn();
}

// The same, one step ahead: each step's fragments are read during the step before. The ring turns before the last step,
// whose multiplications hide the barrier and the first reads behind it.
__device__ inline void multiply_pair_ahead(Sums& sums, Ring& ring, const Reader& reader, Fragments (&fragments)[2]) {
  static_assert(steps % 2 == 0, "the sets take turns within a pair of tiles");
#pragma unroll
  for (int step = 0; step < steps; ++step) {
    Fragments& next = fragments[(step + 1) % 2];
    if (step + 1 < steps) reader.read(next, ring.a_tile(), ring.b_tile(), step + 1);
    ring.send(step);
    if (step + 1 == steps) {
      ring.turn();
      reader.read(next, ring.a_tile(), ring.b_tile(), 0);
    }
    multiply_fragments(sums, fragments[step % 2]);
  }
}

__device__ inline void multiply_all(Sums& sums, Ring& ring, const Reader& reader, int k) {
  constexpr int unroll = UNROLL;
  ring.start();
  Fragments fragments[2];
  if constexpr (FRAGMENTS == 2) reader.read(fragments[0], ring.a_tile(), ring.b_tile(), 0);
#pragma unroll unroll
  for (int done = 0; done < k; done += TILE_K) {
    if constexpr (FRAGMENTS == 2) {
      multiply_pair_ahead(sums, ring, reader, fragments);
    } else {
      multiply_pair(sums, ring, reader);
    }
  }
}

// The sums of the warp's part of the tile at this place.
__device__ inline void multiply_tile(Sums& sums, SharedAddress shared, const Element* a, const Element* b, Place at,
                                     Place warp, int m, int n, int k) {
  Ring ring{shared, source_of<LayoutOfA, A_ALIGNED>(a, m, k, {at.row, 0}),
            source_of<LayoutOfB, B_ALIGNED>(b, k, n, {0, at.column})};
  multiply_all(sums, ring, reader_of(warp), k);
}
