// The bitonic network for ascending order only. Stage k turns sorted runs of 2^(k-1) keys into runs of 2^k in k levels:
// the first compares each key with its mirror image in the run of 2^k, the others, 2^(k-2) … 1 apart, halve what is
// left. The lower place always gets the smaller key, so what lies behind the last key may be thought of as largest keys
// that never move: any number of keys can be sorted, and nothing is padded. (Batcher 1968 alternates the order of runs
// instead, which needs a power of two: alternating.cuh.)
#pragma once

#include <warptune/device/compare_exchange.cuh>

using warptune::device::put_in_order;
using Key = int;
constexpr Key largest = 0x7fffffff;

// Level l compares keys 2^l apart. A group is the 2^Levels keys that `Levels` levels from `top` down mix only among
// themselves: its h-th key lies `h << low` behind the first, or, if it begins with a mirror, counts from the end in the
// upper half.
template <class Index>
struct Group {
  Index first;   // place of the group's run of 2^(top + 1) keys
  Index within;  // of the group in the run's part of 2^low keys
  int low;       // the last level
  bool mirror;

  __device__ Group(Index number, int low, int levels, bool mirror)
      : first(number >> low << (low + levels)), within(number & ((Index{1} << low) - 1)), low(low), mirror(mirror) {}

  // Of the h-th key, or of `Width` neighbours that belong to as many groups.
  template <int Levels, int Width>
  __device__ Index place(int h) const {
    const bool mirrored = mirror && h >= (1 << Levels) / 2;
    return first + (static_cast<Index>(h) << low) + (mirrored ? (Index{1} << low) - Width - within : within);
  }
};

// Level by level over the keys of `Width` groups.
template <int Levels, int Width>
__device__ inline void merge_group(Key (&keys)[1 << Levels][Width], bool mirror) {
  constexpr int size = 1 << Levels;
#pragma unroll
  for (int h = 0; h < size / 2; ++h) {
#pragma unroll
    for (int w = 0; w < Width; ++w) {
      if (mirror) {
        put_in_order(keys[h][w], keys[size - 1 - h][w]);
      } else {
        put_in_order(keys[h][w], keys[h + size / 2][w]);
      }
    }
  }
#pragma unroll
  for (int apart = size / 4; apart > 0; apart /= 2) {
#pragma unroll
    for (int h = 0; h < size; ++h) {
#pragma unroll
      for (int w = 0; w < Width; ++w)
        if ((h & apart) == 0) put_in_order(keys[h][w], keys[h + apart][w]);
    }
  }
}
