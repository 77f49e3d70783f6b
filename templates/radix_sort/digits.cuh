// Digits of keys, the buffers that passes take turns with, and sums over a block's digits.
#pragma once

#include <warptune/device/warp.cuh>

constexpr int warp = 32;
constexpr int warps = BLOCK_SIZE / warp;
constexpr int digits = 1 << RADIX_BITS;
constexpr int passes = (32 + RADIX_BITS - 1) / RADIX_BITS;
constexpr int tile_size = BLOCK_SIZE * COARSENING;
constexpr unsigned full_warp = 0xffffffffu;
constexpr unsigned largest = 0xffffffffu;  // key

// The buffers take turns so that the last pass writes to the output.
struct Turns {
  const unsigned* input;
  unsigned* output;
  unsigned* other;
  int pass;

  __device__ unsigned* target() const { return (passes - 1 - pass) % 2 == 0 ? output : other; }
  __device__ const unsigned* source() const { return pass == 0 ? input : (passes - pass) % 2 == 0 ? output : other; }
};

__device__ inline int digit_of(unsigned key, int pass) {
  return static_cast<int>(key >> (pass * RADIX_BITS) & (digits - 1));
}

// Kogge and Stone over the values of a block of `Threads`. `sums`: a word for each warp. Returns the sum before this
// thread's value; `total` becomes that of all. Between two calls there must be a barrier.
template <int Threads>
__device__ inline unsigned block_scan(unsigned value, unsigned* sums, unsigned& total) {
  const int thread = static_cast<int>(threadIdx.x);
  const unsigned sum = warptune::device::warp_inclusive_sum(value);
  if (thread % warp == warp - 1) sums[thread / warp] = sum;
  __syncthreads();
  unsigned before = 0;
  total = 0;
#pragma unroll
  for (int i = 0; i < Threads / warp; ++i) {
    if (i == thread / warp) before = total;
    total += sums[i];
  }
  return before + sum - value;
}

// Exclusive sums over the digits, in place. All threads of the block call it; it ends with a barrier.
__device__ inline void scan_over_digits(unsigned* values, unsigned* sums) {
  unsigned before = 0;
  for (int first = 0; first < digits; first += BLOCK_SIZE) {
    const int digit = first + static_cast<int>(threadIdx.x);
    unsigned total;
    const unsigned sum = block_scan<BLOCK_SIZE>(digit < digits ? values[digit] : 0, sums, total);
    if (digit < digits) values[digit] = before + sum;
    before += total;
    __syncthreads();
  }
}
