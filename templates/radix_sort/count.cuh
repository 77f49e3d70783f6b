// Counting digits ahead of the passes that move keys.
#pragma once

#include "digits.cuh"

// First of three kernels per pass: counts[digit][tile].
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    count_digits(const unsigned* input, unsigned* output, unsigned* other, unsigned* counts, long long size, int pass) {
  __shared__ unsigned counters[COPIES][digits];
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < COPIES * digits; i += BLOCK_SIZE) counters[i / digits][i % digits] = 0;
  __syncthreads();
  const unsigned* keys = Turns{input, output, other, pass}.source();
  const long long first = static_cast<long long>(blockIdx.x) * tile_size;
#pragma unroll
  for (int item = 0; item < COARSENING; ++item) {
    const long long i = first + item * BLOCK_SIZE + thread;
    if (i < size) atomicAdd(&counters[thread / warp % COPIES][digit_of(keys[i], pass)], 1u);
  }
  __syncthreads();
  for (int digit = thread; digit < digits; digit += BLOCK_SIZE) {
    unsigned sum = 0;
#pragma unroll
    for (int i = 0; i < COPIES; ++i) sum += counters[i][digit];
    counts[static_cast<long long>(digit) * gridDim.x + blockIdx.x] = sum;
  }
}

// Second, a block per digit: the tiles' counts become the number of keys with that digit in the tiles before. There are
// few counts: small blocks, whose threads read several at once.
constexpr int scan_threads = 64;

extern "C" __global__ void __launch_bounds__(scan_threads) scan_counts(unsigned* counts, unsigned* totals, int tiles) {
  constexpr int each = 8;
  __shared__ unsigned sums[scan_threads / warp];
  unsigned* row = counts + static_cast<long long>(blockIdx.x) * tiles;
  unsigned before = 0;
  for (int first = 0; first < tiles; first += each * scan_threads) {
    const int mine = first + static_cast<int>(threadIdx.x) * each;
    unsigned items[each];
    unsigned sum = 0;
#pragma unroll
    for (int i = 0; i < each; ++i) sum += items[i] = mine + i < tiles ? row[mine + i] : 0;
    unsigned total;
    unsigned running = before + block_scan<scan_threads>(sum, sums, total);
#pragma unroll
    for (int i = 0; i < each; ++i) {
      if (mine + i < tiles) row[mine + i] = running;
      running += items[i];
    }
    before += total;
    __syncthreads();
  }
  if (threadIdx.x == 0) totals[blockIdx.x] = before;
}

// onesweep, before all passes: totals[pass][digit] of all keys, which are read once. Blocks walk over the tiles.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
    count_all_digits(const unsigned* input, unsigned* totals, long long size) {
  __shared__ unsigned counters[COPIES][passes * digits];
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < COPIES * passes * digits; i += BLOCK_SIZE)
    counters[i / (passes * digits)][i % (passes * digits)] = 0;
  __syncthreads();
  unsigned* mine = counters[thread / warp % COPIES];
  const long long step = static_cast<long long>(gridDim.x) * tile_size;
  for (long long first = static_cast<long long>(blockIdx.x) * tile_size + thread; first < size; first += step) {
    unsigned keys[COARSENING];
#pragma unroll
    for (int item = 0; item < COARSENING; ++item)
      keys[item] = first + item * BLOCK_SIZE < size ? input[first + item * BLOCK_SIZE] : 0;
#pragma unroll
    for (int item = 0; item < COARSENING; ++item) {
      if (first + item * BLOCK_SIZE >= size) break;
#pragma unroll
      for (int pass = 0; pass < passes; ++pass) atomicAdd(&mine[pass * digits + digit_of(keys[item], pass)], 1u);
    }
  }
  __syncthreads();
  for (int i = thread; i < passes * digits; i += BLOCK_SIZE) {
    unsigned sum = 0;
#pragma unroll
    for (int copy = 0; copy < COPIES; ++copy) sum += counters[copy][i];
    if (sum > 0) atomicAdd(&totals[i], sum);
  }
}

// onesweep, a block per pass: totals become where each digit's keys begin in the output. Small digits do not fill a
// warp.
constexpr int total_threads = digits < warp ? warp : digits;

extern "C" __global__ void __launch_bounds__(total_threads) scan_totals(unsigned* totals) {
  __shared__ unsigned sums[total_threads / warp];
  const bool has_digit = digits == total_threads || threadIdx.x < digits;
  unsigned* mine = totals + blockIdx.x * digits + threadIdx.x;
  unsigned total;
  const unsigned begin = block_scan<total_threads>(has_digit ? *mine : 0, sums, total);
  if (has_digit) *mine = begin;
}
