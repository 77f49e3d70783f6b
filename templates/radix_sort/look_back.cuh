// Where a tile's keys of each digit begin in the output, from the tiles before (decoupled look-back: Merrill & Garland
// 2016; for all digits at once: Adinets & Merrill 2022). A digit is one thread's, and neighbouring threads read
// neighbouring words.
#pragma once

#include "digits.cuh"

// News in the upper two bits of a word, the number in the others: no fence is needed between them.
enum : unsigned { nothing_yet = 0, own_count = 1u << 30, place_known = 2u << 30, number_bits = own_count - 1 };

__device__ inline void publish(volatile unsigned* states, long long tile, int digit, unsigned news, unsigned number) {
  states[tile * digits + digit] = news | number;
}

// The place behind the last key with `digit` of the tiles before `tile`, which is not the first one. LOOKS tiles are
// asked at once; none beyond the first is heard, as the first always knows its place.
__device__ inline unsigned place_after_others(const volatile unsigned* states, long long tile, int digit) {
  unsigned sum = 0;
  for (long long nearest = tile - 1;; nearest -= LOOKS) {
    unsigned seen[LOOKS];
#pragma unroll
    for (int look = 0; look < LOOKS; ++look) seen[look] = states[max(nearest - look, 0ll) * digits + digit];
#pragma unroll
    for (int look = 0; look < LOOKS; ++look) {
      while (seen[look] == nothing_yet) seen[look] = states[max(nearest - look, 0ll) * digits + digit];
      sum += seen[look] & number_bits;
      if ((seen[look] & place_known) != 0) return sum;
    }
  }
}
