// A radix sort with digits of one bit, as courses teach it. A pass splits the keys by one bit, those with a 0 first,
// and keeps the order of each part: a compaction of the keys with a 0 and another of those with a 1. An exclusive scan
// over flags (1 for a key with a 0) says where each key goes. A thread has one key.
#pragma once

#include "digits.cuh"

// Whether the thread has a key, and the key has a 0 at the pass's bit.
__device__ inline bool has_zero(const unsigned* keys, long long i, long long size, int pass) {
  return i < size && digit_of(keys[i], pass) == 0;
}

// First kernel of a pass: the number of flags in each block. The second, scan_counts, turns the numbers into those of
// all blocks before, and their total.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    count_zeros(const unsigned* input, unsigned* output, unsigned* other, unsigned* counts, long long size, int pass) {
  const unsigned* keys = Turns{input, output, other, pass}.source();
  const long long i = static_cast<long long>(blockIdx.x) * BLOCK_SIZE + threadIdx.x;
  const int zeros = __syncthreads_count(has_zero(keys, i, size, pass));
  if (threadIdx.x == 0) counts[blockIdx.x] = static_cast<unsigned>(zeros);
}

// The flags of the block's threads before this one: Hillis and Steele's scan in two buffers that take turns.
__device__ inline unsigned flags_before(bool flag) {
  __shared__ unsigned sums[2][BLOCK_SIZE];
  const int thread = static_cast<int>(threadIdx.x);
  int from = 0;
  sums[from][thread] = flag;
  __syncthreads();
  for (int distance = 1; distance < BLOCK_SIZE; distance *= 2) {
    const unsigned left = thread >= distance ? sums[from][thread - distance] : 0;
    sums[1 - from][thread] = sums[from][thread] + left;
    from = 1 - from;
    __syncthreads();
  }
  return thread == 0 ? 0 : sums[from][thread - 1];
}

// Third kernel of a pass. A key with a 0 goes behind all such keys before it; a key with a 1 goes behind all zeros and
// all ones before it, of which there are as many as keys before it that are no zeros.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    split_keys(const unsigned* input, unsigned* output, unsigned* other, const unsigned* values_input,
               unsigned* values_output, unsigned* values_other, const unsigned* counts, const unsigned* totals,
               long long size, int pass) {
  const Turns keys{input, output, other, pass};
  const Turns values{values_input, values_output, values_other, pass};
  const long long i = static_cast<long long>(blockIdx.x) * BLOCK_SIZE + threadIdx.x;
  const bool zero = has_zero(keys.source(), i, size, pass);
  const long long zeros_before = static_cast<long long>(counts[blockIdx.x]) + flags_before(zero);
  if (i >= size) return;
  const long long place = zero ? zeros_before : totals[0] + (i - zeros_before);
  keys.target()[place] = keys.source()[i];
  if constexpr (WITH_VALUES) values.target()[place] = values.source()[i];
}
