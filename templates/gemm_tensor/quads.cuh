// Four neighbouring lanes (a quad) hold pairs of each row of a multiplication's sums: here they exchange them, so that
// each writes as much as one instruction can.
#pragma once

#include "tiles.cuh"

// Turns the quad's words over: lane t's word s was lane s's word t. Twice is as before.
__device__ inline void exchange_in_quad(unsigned (&words)[4]) {
#pragma unroll
  for (int distance = 1; distance <= 2; distance *= 2) {
    const bool upper = (lane_of_warp() & distance) != 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if ((i & distance) != 0) continue;
      unsigned& low = words[i];
      unsigned& high = words[i + distance];
      const unsigned theirs = __shfl_xor_sync(0xffffffffu, upper ? low : high, distance);
      (upper ? low : high) = theirs;
    }
  }
}

// Words of neighbouring elements of 2 or 4 bytes in a row, Aligned elements by one access; `left` elements lie within
// the row.
template <class Element, int Words, int Aligned>
struct Run {
  static constexpr int per_word = static_cast<int>(4 / sizeof(Element));
  static constexpr int width = min_of(Aligned / per_word, Words);  // words; 0: half a word

  struct alignas(4 * max_of(1, width)) Part {
    unsigned at[max_of(1, width)];
  };

  __device__ static void write(Element* to, const unsigned (&words)[Words], int left) {
    if constexpr (width == 0) {
#pragma unroll
      for (int i = 0; i < 2 * Words; ++i)
        if (i < left) to[i] = static_cast<Element>(words[i / 2] >> i % 2 * 16);
    } else {
#pragma unroll
      for (int first = 0; first < Words; first += width) {
        Part part;
#pragma unroll
        for (int i = 0; i < width; ++i) part.at[i] = words[first + i];
        if (first * per_word < left) *reinterpret_cast<Part*>(to + first * per_word) = part;
      }
    }
  }
  __device__ static void read(unsigned (&words)[Words], const Element* from, int left) {
    if constexpr (width == 0) {
#pragma unroll
      for (int i = 0; i < Words; ++i) {
        const unsigned low = 2 * i < left ? static_cast<unsigned>(from[2 * i]) : 0;
        words[i] = low | (2 * i + 1 < left ? static_cast<unsigned>(from[2 * i + 1]) << 16 : 0);
      }
    } else {
#pragma unroll
      for (int first = 0; first < Words; first += width) {
        Part part{};
        if (first * per_word < left) part = *reinterpret_cast<const Part*>(from + first * per_word);
#pragma unroll
        for (int i = 0; i < width; ++i) words[first + i] = part.at[i];
      }
    }
  }
};
