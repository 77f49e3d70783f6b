// Exponentials of a row of which each thread keeps its part in registers, as floats: the row's maximum comes first,
// then each element's exponential once, and the result is made of what is kept.
//
//   KeptExponentials<NumberFormat::half, 8, 2> kept;     // two vectors of eight for each thread
//   Keep<NumberFormat::half, 8, 2>{kept}(vectors, 0);    // or what rows.cuh's KeptRow calls
//   const float maximum = reduced_over_row<...>(kept.maximum, larger);
//   const float sum = reduced_over_row<...>(kept.exponentiate(maximum), add);
//   kept.at[i].at[j] / sum;                              // softmax
//
// Online (online_softmax.cuh) a row needs no second meeting of its threads and is kept in 16 bits; it takes two
// exponentials for each element. Source: Milakov & Gimelshein, "Online normalizer calculation for softmax" (2018),
// where this is the safe softmax; PyTorch's and Triton's persistent softmax, which keep a row so.
#pragma once

#include <warptune/device/online_softmax.cuh>

namespace warptune::device {

// `Count` vectors of a row. The maximum begins finite, so that even elements of minus infinity have a difference.
template <NumberFormat Format, int Width, int Count>
struct KeptExponentials {
  Pack<float, Width> at[Count];
  float maximum = SoftmaxSum{}.maximum;

  // Makes exp(x - maximum) of each x, and gives their sum.
  __device__ float exponentiate(float of_row) {
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < Count; ++i) {
#pragma unroll
      for (int j = 0; j < Width; ++j) {
        at[i].at[j] = fast_exponential(at[i].at[j] - of_row);
        sum += at[i].at[j];
      }
    }
    return sum;
  }
};

// Takes the row's elements, all at once.
template <NumberFormat Format, int Width, int Count>
struct Keep {
  KeptExponentials<Format, Width, Count>& kept;

  template <class Element>
  __device__ void operator()(const Pack<Element, Width> (&vectors)[Count], int) const {
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      kept.at[i] = to_floats<Format>(vectors[i]);
      kept.maximum = fmaxf(kept.maximum, largest_of(kept.at[i]));
    }
  }
};

}  // namespace warptune::device
