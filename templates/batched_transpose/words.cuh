// Elements, and small blocks of them that are turned in registers: a word of four bytes has one, two or four.
#pragma once

#include <warptune/device/vectors.cuh>

using warptune::device::CacheHint;
using warptune::device::load_pack;
using warptune::device::Pack;
using warptune::device::store_pack;

constexpr CacheHint load_hint = CacheHint::CACHE_HINT_LOAD;
constexpr CacheHint store_hint = CacheHint::CACHE_HINT_STORE;
constexpr int load_width = ALIGNED_LOAD;
constexpr int store_width = ALIGNED_STORE;
constexpr int word_elements = 4 / ELEMENT_BYTES;
constexpr int matrix_elements = MATRIX_ROWS * MATRIX_COLUMNS;

using Element = warptune::device::WordOf<ELEMENT_BYTES>::type;

template <int Width>
__device__ inline void copy_pack(Element* target, const Pack<Element, Width>& pack) {
#pragma unroll
  for (int i = 0; i < Width; ++i) target[i] = pack.at[i];
}

// The words of word_elements columns from `first` on, each with an element of each row, the first row's lowest.
template <int Columns>
__device__ inline void turn(unsigned (&words)[word_elements], const Pack<Element, Columns> (&rows)[word_elements],
                            int first) {
  const auto word = [&](int row) { return reinterpret_cast<const unsigned&>(rows[row].at[first]); };
  if constexpr (word_elements == 1) {
    words[0] = word(0);
  } else if constexpr (word_elements == 2) {
    words[0] = __byte_perm(word(0), word(1), 0x5410);
    words[1] = __byte_perm(word(0), word(1), 0x7632);
  } else {
    const unsigned low_01 = __byte_perm(word(0), word(1), 0x5140), low_23 = __byte_perm(word(2), word(3), 0x5140);
    const unsigned high_01 = __byte_perm(word(0), word(1), 0x7362), high_23 = __byte_perm(word(2), word(3), 0x7362);
    words[0] = __byte_perm(low_01, low_23, 0x5410);
    words[1] = __byte_perm(low_01, low_23, 0x7632);
    words[2] = __byte_perm(high_01, high_23, 0x5410);
    words[3] = __byte_perm(high_01, high_23, 0x7632);
  }
}
