// What a warp multiplies: fragments of A and B, from their tiles to registers, and their products. The parameters are
// described in kernel.cu.
#pragma once

#include "instructions.cuh"
#include "shape.cuh"

// The warp's sums, tile by tile of 16 x 8 (multiply_add says which lane holds what).
using Sums = float[tiles_m][tiles_n][4];

// One step along K.
struct Fragments {
  LeftOperand<format> a[tiles_m];
  RightOperand<format> b[tiles_n];
};

template <int Count>
__device__ inline void round_words(unsigned (&words)[Count]) {
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    if (rounding == Round::nearest) words[i] = round_to_tf32(words[i]);
  }
}

// Where this lane reads its first part of either tile.
struct Reader {
  unsigned a;
  unsigned b;

  __device__ void read(Fragments& fragments, SharedAddress a_tile, SharedAddress b_tile, int step) const {
    read_a(fragments, a_tile, step);
    if constexpr (format == Format::tf32) {
      read_b_of_floats(fragments, b_tile, step);
    } else {
      read_b(fragments, b_tile, step);
    }
  }

 private:
  __device__ void read_a(Fragments& fragments, SharedAddress tile, int step) const {
#pragma unroll
    for (int i = 0; i < tiles_m; ++i) {
      unsigned words[4];
      load_matrices<false>(words, tile + LayoutOfA::moved(a, i * 16, step * step_bytes));
      round_words(words);
      fragments.a[i] = left_operand<format>(words);
    }
  }
  // Rows of B lie along N, its fragments along K: each matrix is transposed on its way. Four are two tiles' fragments.
  __device__ void read_b(Fragments& fragments, SharedAddress tile, int step) const {
#pragma unroll
    for (int j = 0; j < tiles_n; j += 2) {
      unsigned words[4];
      load_matrices<true>(words, tile + LayoutOfB::moved(b, step * step_k, j * chunk_bytes));
      fragments.b[j] = right_operand<format>({words[0], words[1]});
      fragments.b[j + 1] = right_operand<format>({words[2], words[3]});
    }
  }
  // ldmatrix cannot transpose 32-bit elements: a lane fetches its floats of rows t and t + 4 one by one.
  __device__ void read_b_of_floats(Fragments& fragments, SharedAddress tile, int step) const {
#pragma unroll
    for (int j = 0; j < tiles_n; ++j) {
      unsigned words[2];
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        words[half] = load_shared(tile + LayoutOfB::moved(b, step * step_k + half * 4, j * 8 * element_bytes));
      }
      round_words(words);
      fragments.b[j] = right_operand<format>(words);
    }
  }
};

__device__ inline Reader reader_of(Place warp) {
  const int lane = lane_of_warp();
  const int byte = warp.column * element_bytes;
  const unsigned a = LayoutOfA::place(warp.row + lane % 16, lane / 16 * chunk_bytes);
  if constexpr (format == Format::tf32) return {a, LayoutOfB::place(lane % 4, byte + lane / 4 * element_bytes)};
  return {a, LayoutOfB::place(lane % 16, byte + lane / 16 * chunk_bytes)};
}

// A serpentine goes up every second column, so that not even the turn needs two new operands.
__device__ inline void multiply_fragments(Sums& sums, const Fragments& fragments) {
  constexpr bool serpentine = traversal == Traversal::serpentine;
#pragma unroll
  for (int outer = 0; outer < (serpentine ? tiles_n : tiles_m); ++outer) {
#pragma unroll
    for (int inner = 0; inner < (serpentine ? tiles_m : tiles_n); ++inner) {
      const int i = serpentine ? (outer % 2 == 1 ? tiles_m - 1 - inner : inner) : outer;
      const int j = serpentine ? outer : inner;
      multiply_add<format>(sums[i][j], fragments.a[i], fragments.b[j]);
    }
  }
}
