// A block's tile of the product: tiles of A and B come from a ring (ring.cuh), fragments of them go through registers.
// The parameters are described in kernel.cu.
#pragma once

#include "tiles.cuh"

// The fragment of A for k_step steps from k on: values[i][step].
__device__ inline void read_a(Element (&values)[COARSENING_M][k_step], const Element* tile, int row, int k) {
  if constexpr (a_layout == Layout::row) {
#pragma unroll
    for (int i = 0; i < COARSENING_M; ++i) {
      const Pack<4> pack = load<4>(tile + place_of_a(row + row_offset(i), k));
#pragma unroll
      for (int step = 0; step < k_step; ++step) values[i][step] = pack.at[step];
    }
  } else {
#pragma unroll
    for (int i = 0; i < COARSENING_M; i += run_m) {
      const Pack<run_m> pack = load<run_m>(tile + place_of_a(row + row_offset(i), k));
#pragma unroll
      for (int j = 0; j < run_m; ++j) values[i + j][0] = pack.at[j];
    }
  }
}

__device__ inline void read_b(Element (&values)[COARSENING_N], const Element* tile, int k, int column) {
#pragma unroll
  for (int j = 0; j < COARSENING_N; j += run_n) {
    const Pack<run_n> pack = load<run_n>(in_tile_of_b(tile, k, column, column_offset(j)));
#pragma unroll
    for (int l = 0; l < run_n; ++l) values[j + l] = pack.at[l];
  }
}

using Accumulator = Element[COARSENING_M][COARSENING_N];

// What a thread multiplies: its values of A for k_step steps along K, its values of B for one.
struct Fragments {
  Element a[COARSENING_M][k_step];
  Element b[COARSENING_N];
};

// The order decides which operands the register file's reuse caches hold, and so how often a multiplication waits for
// its third operand: along rows, along columns, or down one column and up the next (serpentine), so that not even the
// turn needs two new ones.
__device__ inline void multiply_fragments(Accumulator& sums, const Fragments& fragments, int step) {
  constexpr bool by_rows = traversal == Traversal::rows;
  constexpr int outer_size = by_rows ? COARSENING_M : COARSENING_N;
  constexpr int inner_size = by_rows ? COARSENING_N : COARSENING_M;
#pragma unroll
  for (int outer = 0; outer < outer_size; ++outer) {
#pragma unroll
    for (int l = 0; l < inner_size; ++l) {
      const int inner = traversal == Traversal::serpentine && outer % 2 == 1 ? inner_size - 1 - l : l;
      const int i = by_rows ? outer : inner;
      const int j = by_rows ? inner : outer;
      sums[i][j] += fragments.a[i][step] * fragments.b[j];
    }
  }
}

// Where along K this thread's slice of the tiles begins.
__device__ inline int first_k_of_slice() {
  return SLICED_K == 1 ? 0 : static_cast<int>(threadIdx.x) / slice_threads * slice_k;
}

// Multiplies the pair and turns the ring.
template <class Ring>
__device__ inline void multiply_pair(Accumulator& sums, Ring& ring, Place mine) {
  const Element* a = ring.a_stage(ring.reading);
  const Element* b = ring.b_stage(ring.reading);
  const int slice = first_k_of_slice();
#pragma unroll 1
  for (int first = 0; first < slice_k; first += UNROLL) {
#pragma unroll
    for (int k = 0; k < UNROLL; k += k_step) {
      Fragments fragments;
      read_a(fragments.a, a, mine.row, slice + first + k);
#pragma unroll
      for (int step = 0; step < k_step; ++step) {
        read_b(fragments.b, b, slice + first + k + step, mine.column);
        multiply_fragments(sums, fragments, step);
      }
    }
  }
  ring.turn();
}

template <class Ring>
__device__ inline void read_fragments(Fragments& fragments, const Ring& ring, int stage, Place mine, int k) {
  read_a(fragments.a, ring.a_stage(stage), mine.row, first_k_of_slice() + k);
  read_b(fragments.b, ring.b_stage(stage), first_k_of_slice() + k, mine.column);
}

// The same, one step ahead: each step's fragments are read during the step before. The ring turns before the last step,
// whose multiplications hide the barrier and the first reads behind it.
template <class Ring>
__device__ inline void multiply_pair_ahead(Accumulator& sums, Ring& ring, Place mine, Fragments (&fragments)[2]) {
  const int stage = ring.reading;
#pragma unroll
  for (int k = 0; k < slice_k; ++k) {
    if (k + 1 < slice_k) {
      read_fragments(fragments[(k + 1) % 2], ring, stage, mine, k + 1);
    } else {
      ring.turn();
      read_fragments(fragments[0], ring, ring.reading, mine, 0);
    }
    multiply_fragments(sums, fragments[k % 2], 0);
  }
}

// Adds the slices' sums to those of slice 0, through shared memory that the ring no longer needs.
__device__ inline void add_slices(Accumulator& sums, Element* shared) {
  const int thread = static_cast<int>(threadIdx.x) % slice_threads;
  const int slice = static_cast<int>(threadIdx.x) / slice_threads;
  wait_for_copies<0>();
  for (int other = 1; other < SLICED_K; ++other) {
    __syncthreads();
#pragma unroll
    for (int i = 0; i < COARSENING_M * COARSENING_N; ++i) {
      if (slice == other) shared[i * slice_threads + thread] = sums[i / COARSENING_N][i % COARSENING_N];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < COARSENING_M * COARSENING_N; ++i) {
      if (slice == 0) sums[i / COARSENING_N][i % COARSENING_N] += shared[i * slice_threads + thread];
    }
  }
}

// Sums up `depth` steps along K: as many pairs as they need travel through the ring, whose last may end in zeros.
template <class Ring>
__device__ inline void multiply_all(Accumulator& sums, Ring& ring, Place mine, int depth) {
  ring.start();
  Fragments fragments[2];
  if constexpr (FRAGMENTS == 2) read_fragments(fragments[0], ring, 0, mine, 0);
  for (int k = 0; k < depth; k += TILE_K) {
    ring.send_next();
    if constexpr (FRAGMENTS == 2) {
      multiply_pair_ahead(sums, ring, mine, fragments);
    } else {
      multiply_pair(sums, ring, mine);
    }
  }
  if constexpr (SLICED_K > 1) add_slices(sums, ring.shared);
}
