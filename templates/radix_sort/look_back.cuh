// Where a tile's keys of each digit begin in the output, from the tiles before (decoupled look-back: Merrill & Garland
// 2016; for all digits at once: Adinets & Merrill 2022). A digit is one thread's, and neighbouring threads read
// neighbouring words.
#pragma once

#include "digits.cuh"

// A tile's status in the upper two bits of a word, the number in the others: no fence is needed between them.
enum : unsigned { nothing_yet = 0, own_count = 1u << 30, place_known = 2u << 30, number_bits = own_count - 1 };

__device__ inline void publish(volatile unsigned* states, long long tile, int digit, unsigned status, unsigned number) {
  states[tile * digits + digit] = status | number;
}

// The place behind the last key with `digit` of the tiles before `tile`, which is not the first one. A window of
// LOOK_BACK_WINDOW tiles is read at once; what lies before the first tile is never used, as that tile always knows its
// place.
__device__ inline unsigned place_after_others(const volatile unsigned* states, long long tile, int digit) {
  unsigned sum = 0;
  for (long long nearest = tile - 1;; nearest -= LOOK_BACK_WINDOW) {
    unsigned seen[LOOK_BACK_WINDOW];
#pragma unroll
    for (int offset = 0; offset < LOOK_BACK_WINDOW; ++offset)
      seen[offset] = states[max(nearest - offset, 0ll) * digits + digit];
#pragma unroll
    for (int offset = 0; offset < LOOK_BACK_WINDOW; ++offset) {
      while (seen[offset] == nothing_yet) seen[offset] = states[max(nearest - offset, 0ll) * digits + digit];
      sum += seen[offset] & number_bits;
      if ((seen[offset] & place_known) != 0) return sum;
    }
  }
}
