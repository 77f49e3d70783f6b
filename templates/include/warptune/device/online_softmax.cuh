// The sum of exponentials of a row in one pass: exponents are differences from the largest element so far, so that none
// overflows; where a larger one turns up, the sum so far is scaled down.
//
//   SoftmaxSum of_row;
//   add_exponentials<NumberFormat::half>(of_row, vectors);        // an array of vectors; as often as there are more
//   of_row = merged(of_row, of_another_part);
//   fast_exponential(x - of_row.maximum) / of_row.sum;            // softmax
//
// No memory; any number of threads. Sources: Milakov & Gimelshein, "Online normalizer calculation for softmax" (2018);
// Dao et al., "FlashAttention" (2022) for the rescaling by blocks.
#pragma once

#include <warptune/device/fast_math.cuh>
#include <warptune/device/numbers16.cuh>
#include <warptune/device/vectors.cuh>

namespace warptune::device {

// The largest element so far, and the sum of exp(element - maximum). It begins with a finite maximum, from which even
// elements of minus infinity have a difference.
struct SoftmaxSum {
  float maximum = -3.402823466e38f;
  float sum = 0.0f;
};

// Of two parts of a row.
__device__ inline SoftmaxSum merged(SoftmaxSum a, SoftmaxSum b) {
  const float maximum = fmaxf(a.maximum, b.maximum);
  return {maximum, a.sum * fast_exponential(a.maximum - maximum) + b.sum * fast_exponential(b.maximum - maximum)};
}

template <int Width>
__device__ inline float largest_of(const Pack<float, Width>& values) {
  float largest = values.at[0];
#pragma unroll
  for (int i = 1; i < Width; ++i) largest = fmaxf(largest, values.at[i]);
  return largest;
}

// One exponential rescales the sum for all `Count` vectors.
template <NumberFormat Format, class Element, int Width, int Count>
__device__ inline void add_exponentials(SoftmaxSum& so_far, const Pack<Element, Width> (&vectors)[Count]) {
  float maximum = so_far.maximum;
#pragma unroll
  for (int i = 0; i < Count; ++i) maximum = fmaxf(maximum, largest_of(to_floats<Format>(vectors[i])));
  float sum = so_far.sum * fast_exponential(so_far.maximum - maximum);
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    const Pack<float, Width> values = to_floats<Format>(vectors[i]);
#pragma unroll
    for (int j = 0; j < Width; ++j) sum += fast_exponential(values.at[j] - maximum);
  }
  so_far = {maximum, sum};
}

// add_exponentials as a function object, for rows.cuh's KeptRow.
template <NumberFormat Format>
struct AddExponentials {
  SoftmaxSum& so_far;

  template <class Element, int Width, int Count>
  __device__ void operator()(const Pack<Element, Width> (&vectors)[Count], int) const {
    add_exponentials<Format>(so_far, vectors);
  }
};

// Elements behind the end of a row: minus infinity, which changes neither maximum nor sum. As bits, for which the
// compiler needs no register.
template <NumberFormat Format, int Width>
__device__ inline auto no_exponentials() {
  Pack<typename StoredNumber<Format>::type, Width> vector;
#pragma unroll
  for (int i = 0; i < Width; ++i) {
    if constexpr (Format == NumberFormat::float32) {
      vector.at[i] = __uint_as_float(0xff800000u);
    } else {
      vector.at[i] = Format == NumberFormat::half ? 0xfc00 : 0xff80;
    }
  }
  return vector;
}

}  // namespace warptune::device
