// Transforms within a block: Stockham's passes, each in registers, between two of which the threads exchange all values
// through shared memory. No pass reverses bits. Before and after each pass thread t of a transform has elements t, t +
// T, t + 2T ..., so that neighbours read and write neighbours. The parameters are described in kernel.cu.
//
// Sources: Govindaraju et al., "High performance discrete Fourier transforms on graphics processors" (SC 2008); Volkov
// & Kazian, "Fitting FFT onto the G80 architecture" (2008) for as many elements per thread as the radix has and for
// exchanges of one part at a time.
#pragma once

#include <warptune/device/arithmetic.cuh>

#include "twiddles.cuh"

using warptune::device::min_of;

enum class Exchange { pairs, parts };

constexpr Exchange exchange = Exchange::EXCHANGE;

__host__ __device__ constexpr int log2_of(int value) {
  return value <= 1 ? 0 : 1 + log2_of(value / 2);
}

// How 2^Log2 elements are transformed. What does not make a whole pass of RADIX comes first, without twiddles.
template <int Log2>
struct Plan {
  static constexpr int length = 1 << Log2;
  static constexpr int elements = min_of(RADIX, length);  // per thread
  static constexpr int threads = length / elements;
  static constexpr int radix_log2 = log2_of(elements);
  static constexpr int first_log2 = Log2 == 0 || Log2 % radix_log2 == 0 ? radix_log2 : Log2 % radix_log2;
  static constexpr int padded_length = length + length / elements * PADDING;
};

// A transform's part of shared memory: element i lies at place(i).
template <class Plan, int Stride>
struct SharedRow {
  void* start;  // of floats or of complex numbers
  int first;

  __device__ int place(int i) const { return first + (i + i / Plan::elements * PADDING) * Stride; }
};

// Every thread of the block calls it: values go to elements to(i), and come back from elements from(i). Untouched:
// nobody has used shared memory yet.
template <bool Untouched, int Count, class To, class From>
__device__ inline void exchange_values(Complex (&values)[Count], void* shared, To to, From from) {
  if constexpr (exchange == Exchange::pairs) {
    Complex* all = static_cast<Complex*>(shared);
    if constexpr (!Untouched) __syncthreads();
#pragma unroll
    for (int i = 0; i < Count; ++i) all[to(i)] = values[i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < Count; ++i) values[i] = all[from(i)];
  } else {
    float* all = static_cast<float*>(shared);
    if constexpr (!Untouched) __syncthreads();
#pragma unroll
    for (int i = 0; i < Count; ++i) all[to(i)] = values[i].re;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < Count; ++i) values[i].re = all[from(i)];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < Count; ++i) all[to(i)] = values[i].im;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < Count; ++i) values[i].im = all[from(i)];
  }
}

// The passes from the one on that joins transforms of 2^Done elements. thread: among the transform's.
template <class Plan, int Log2, int Done, class Row>
__device__ inline void transform_from(Complex (&values)[Plan::elements], const Row& row, const Roots& roots,
                                      int thread) {
  constexpr int radix_log2 = Done == 0 ? Plan::first_log2 : Plan::radix_log2;
  constexpr int radix = 1 << radix_log2;
  constexpr int groups = Plan::elements / radix;
#pragma unroll
  for (int group = 0; group < groups; ++group) {
    Complex own[radix];
#pragma unroll
    for (int i = 0; i < radix; ++i) own[i] = values[group + i * groups];
    const int within = (thread + group * Plan::threads) & ((1 << Done) - 1);
    if constexpr (Done > 0) multiply_by_powers<Done + radix_log2>(own, roots, within);
    transform(own);
#pragma unroll
    for (int i = 0; i < radix; ++i) values[group + i * groups] = own[i];
  }
  if constexpr (Done + radix_log2 < Log2) {
    exchange_values<Done == 0>(
        values, row.start,
        [&](int i) {
          const int butterfly = thread + i % groups * Plan::threads;
          const int within = butterfly & ((1 << Done) - 1);
          return row.place(((butterfly - within) << radix_log2) + within + (i / groups << Done));
        },
        [&](int i) { return row.place(thread + i * Plan::threads); });
    transform_from<Plan, Log2, Done + radix_log2>(values, row, roots, thread);
  }
}

template <int Log2, class Row>
__device__ inline void transform_in_block(Complex (&values)[Plan<Log2>::elements], const Row& row, const Roots& roots,
                                          int thread) {
  transform_from<Plan<Log2>, Log2, 0>(values, row, roots, thread);
}
