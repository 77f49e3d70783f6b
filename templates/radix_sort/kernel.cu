// Unsigned integers in ascending order, digit by digit from the lowest, alone or with values that move with them
// (WITH_VALUES). A pass over one digit keeps the order of equal digits, and so of all digits before.
//
//   ALGORITHM          onesweep: all digits are counted at once; then one kernel per pass, in which tiles learn from
//                      those before them where their keys go. three_kernels: in each pass tiles count, a scan goes over
//                      their counts, tiles move their keys. split: the same three with one bit and a key per thread, as the
//                      idea is taught (split.cuh)
//   RADIX_BITS         bits of a digit: fewer passes, or fewer counters and longer runs to write
//   BLOCK_SIZE         threads per block
//   COARSENING         keys that a thread sorts: a tile of BLOCK_SIZE * COARSENING
//   COPIES             copies of the digits' counters that a block counts in (privatization): fewer additions collide
//   MATCH              how threads of a warp with equal digits find each other: by the match instruction, or by a ballot
//                      for each bit
//   EARLY_COUNTS       are a tile's digits counted before its keys are ranked, so that other tiles wait less
//   LOOK_BACK_WINDOW   tiles before its own that a thread reads at once
//   SCATTER            direct: each key goes from its register to its place. staged: the tile is put in order in shared
//                      memory first, so that neighbours with equal digits are written together
//   MIN_BLOCKS_PER_SM  blocks that a multiprocessor must hold at once: bounds the registers of a thread
//
// Sources: Satish, Harris & Garland, "Designing Efficient Sorting Algorithms for Manycore GPUs" (IPDPS 2009) for the
// three kernels and the staged tile; Merrill & Grimshaw, "High Performance and Scalable Radix Sorting" (2011); Adinets
// & Merrill, "Onesweep" (2022) for the single kernel per pass and for ranking by matching; Kirk & Hwu, "Programming
// Massively Parallel Processors", ch. 13.

#include <warptune/device/look_back.cuh>

#include "count.cuh"
#include "rank.cuh"
#include "split.cuh"

using warptune::device::own_sum;
using warptune::device::sum_from_start;

enum class Algorithm { onesweep, three_kernels, split };
enum class Scatter { direct, staged };

constexpr Algorithm algorithm = Algorithm::ALGORITHM;
constexpr Scatter scatter = Scatter::SCATTER;

// What other tiles leave behind. three_kernels: counts[digit][tile] of the tiles before, totals of each digit;
// onesweep: where digits begin in the output, a ticket and states[tile][digit], both zero at first.
struct Others {
  const unsigned* counts;
  const unsigned* totals;
  unsigned* ticket;
  unsigned* states;
};

// A digit's count and its status share a word; a digit is one thread's.
using Counts = warptune::device::TileSums<unsigned, unsigned, 30>;

// A block must not wait for one that has not started: tickets are given out in the order of starts.
__device__ inline long long tile_of_block(const Others& others) {
  if constexpr (algorithm == Algorithm::three_kernels) return blockIdx.x;
  return warptune::device::take_ticket(others.ticket);
}

// The first tile need not wait to know its place.
__device__ inline void publish_count(const Others& others, long long tile, int digit, unsigned count) {
  if constexpr (algorithm == Algorithm::three_kernels) return;
  if (tile == 0) {
    Counts::publish(others.states, digit, sum_from_start, others.totals[digit] + count);
  } else {
    Counts::publish(others.states, tile * digits + digit, own_sum, count);
  }
}

// Where the tile's keys with `digit` begin in the output.
__device__ inline unsigned begin_of_digit(const Others& others, const Digits& known, long long tile, int digit) {
  if constexpr (algorithm == Algorithm::three_kernels)
    return known.in_output[digit] + others.counts[static_cast<long long>(digit) * gridDim.x + tile];
  if (tile == 0) return others.totals[digit];
  const unsigned begin = Counts::look_back_alone<LOOK_BACK_WINDOW>(others.states, tile, digits, digit);
  Counts::publish(others.states, tile * digits + digit, sum_from_start, begin + known.count[digit]);
  return begin;
}

// From places in the tile to places in the output. Ends with a barrier.
__device__ inline void find_places_in_output(const Others& others, Digits& known, long long tile) {
  if constexpr (algorithm == Algorithm::three_kernels) {
    for (int digit = static_cast<int>(threadIdx.x); digit < digits; digit += BLOCK_SIZE)
      known.in_output[digit] = others.totals[digit];
    __syncthreads();
    scan_over_digits(known.in_output, known.sums);
  }
  for (int digit = static_cast<int>(threadIdx.x); digit < digits; digit += BLOCK_SIZE)
    known.in_output[digit] = begin_of_digit(others, known, tile, digit) - known.in_tile[digit];
  __syncthreads();
}

// The tile's keys, or values, as the block's threads hold them: COARSENING rows of 32 neighbours per warp.
__device__ inline int first_of_thread() {
  const int thread = static_cast<int>(threadIdx.x);
  return thread / warp * warp * COARSENING + thread % warp;
}

__device__ inline void load_tile(unsigned (&items)[COARSENING], const unsigned* source, int count, unsigned otherwise) {
#pragma unroll
  for (int item = 0; item < COARSENING; ++item) {
    const int i = first_of_thread() + item * warp;
    items[item] = i < count ? source[i] : otherwise;
  }
}

// A tile on its way to the output: its sizes and where its digits go.
struct Moving {
  const Digits& known;
  const Turns& keys_turn;
  const Turns& values_turn;
  long long first;
  int count;
  int pass;
};

// Items go through shared memory, so that neighbours write neighbours: first the keys, which lie there already and say
// where the values behind them go to.
__device__ inline void write_staged(unsigned* tile, const unsigned (&places)[COARSENING], const Moving& moving) {
  const int thread = static_cast<int>(threadIdx.x);
  unsigned values[COARSENING];
  if constexpr (WITH_VALUES) load_tile(values, moving.values_turn.source() + moving.first, moving.count, 0);
  unsigned to[COARSENING];
#pragma unroll
  for (int item = 0; item < COARSENING; ++item) {
    const int i = thread + item * BLOCK_SIZE;
    if (i >= moving.count) break;
    to[item] = moving.known.in_output[digit_of(tile[i], moving.pass)] + static_cast<unsigned>(i);
    moving.keys_turn.target()[to[item]] = tile[i];
  }
  if constexpr (WITH_VALUES) {
    __syncthreads();
#pragma unroll
    for (int item = 0; item < COARSENING; ++item) tile[places[item]] = values[item];
    __syncthreads();
#pragma unroll
    for (int item = 0; item < COARSENING; ++item)
      if (thread + item * BLOCK_SIZE < moving.count)
        moving.values_turn.target()[to[item]] = tile[thread + item * BLOCK_SIZE];
  }
}

__device__ inline void write_directly(const unsigned (&keys)[COARSENING], const unsigned (&places)[COARSENING],
                                      const Moving& moving) {
  unsigned values[COARSENING];
  if constexpr (WITH_VALUES) load_tile(values, moving.values_turn.source() + moving.first, moving.count, 0);
#pragma unroll
  for (int item = 0; item < COARSENING; ++item) {
    if (places[item] >= static_cast<unsigned>(moving.count)) continue;
    const unsigned to = moving.known.in_output[digit_of(keys[item], moving.pass)] + places[item];
    moving.keys_turn.target()[to] = keys[item];
    if constexpr (WITH_VALUES) moving.values_turn.target()[to] = values[item];
  }
}

// The kernel that moves a tile's keys. Dynamic shared memory: the tile, if staged.
extern "C" __global__ void __launch_bounds__(BLOCK_SIZE, MIN_BLOCKS_PER_SM)
    scatter_keys(const unsigned* input, unsigned* output, unsigned* other, const unsigned* values_input,
                 unsigned* values_output, unsigned* values_other, const unsigned* counts, const unsigned* totals,
                 unsigned* ticket, unsigned* states, long long size, int pass) {
  extern __shared__ unsigned tile[];
  __shared__ Digits known;
  const Others others{counts, totals + (algorithm == Algorithm::onesweep ? pass * digits : 0), ticket, states};
  const Turns keys_turn{input, output, other, pass};
  const Turns values_turn{values_input, values_output, values_other, pass};
  const long long number = tile_of_block(others);
  const long long first = number * tile_size;
  const int count = size - first < tile_size ? static_cast<int>(size - first) : tile_size;

  // What lies behind the input's end counts as the largest keys: they come behind all others of the tile.
  unsigned keys[COARSENING];
  unsigned places[COARSENING];
  load_tile(keys, keys_turn.source() + first, count, largest);
  const auto publish_own = [&](int digit, unsigned own) { publish_count(others, number, digit, own); };
  place_keys(keys, known, pass, publish_own, [&](int item, unsigned place) {
    places[item] = place;
    if constexpr (scatter == Scatter::staged) tile[place] = keys[item];
  });
  find_places_in_output(others, known, number);
  const Moving moving{known, keys_turn, values_turn, first, count, pass};
  if constexpr (scatter == Scatter::staged) {
    write_staged(tile, places, moving);
  } else {
    write_directly(keys, places, moving);
  }
}
