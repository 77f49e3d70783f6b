// A thread sorts its COARSENING keys in registers: by a network, since registers have no addresses and the
// threads of a warp should not diverge.
#pragma once

#include <warptune/device/compare_exchange.cuh>

using warptune::device::put_in_order;
using Key = int;
constexpr Key largest = 0x7fffffff;

enum class ThreadSort { transposition, merge_exchange };
constexpr ThreadSort thread_sort = ThreadSort::THREAD_SORT;

// Neighbours only, COARSENING rounds: COARSENING * (COARSENING - 1) / 2 comparisons, half of them at once.
__device__ inline void sort_by_transposition(Key (&keys)[COARSENING]) {
#pragma unroll
  for (int round = 0; round < COARSENING; ++round) {
#pragma unroll
    for (int i = round % 2; i + 1 < COARSENING; i += 2) put_in_order(keys[i], keys[i + 1]);
  }
}

__device__ constexpr int half_of_keys() {
  int power = 1;
  while (2 * power < COARSENING) power *= 2;
  return power;
}

// Batcher's network for any number of keys (Knuth 5.2.2, algorithm M): about COARSENING * log2(COARSENING)² / 4
// comparisons.
__device__ inline void sort_by_merge_exchange(Key (&keys)[COARSENING]) {
#pragma unroll
  for (int p = half_of_keys(); p > 0; p /= 2) {
#pragma unroll
    for (int q = half_of_keys(); q >= p; q /= 2) {
      const int distance = q == half_of_keys() ? p : 2 * q - p;
      const int wanted = q == half_of_keys() ? 0 : p;
#pragma unroll
      for (int i = 0; i < COARSENING; ++i)
        if (i + distance < COARSENING && (i & p) == wanted) put_in_order(keys[i], keys[i + distance]);
    }
  }
}

__device__ inline void sort_own(Key (&keys)[COARSENING]) {
  if constexpr (thread_sort == ThreadSort::transposition) {
    sort_by_transposition(keys);
  } else {
    sort_by_merge_exchange(keys);
  }
}
