// Where each key of a tile goes within the tile, in order of a digit, keys of equal digits in their order.
#pragma once

#include "digits.cuh"

enum class Match { instruction, ballots };
constexpr Match match = Match::MATCH;

// What a block knows of the digits. `of_warp` counts a warp's keys, then says where they go in the tile.
struct Digits {
  unsigned of_warp[warps][digits];
  unsigned count[digits];      // of the tile's keys with that digit
  unsigned in_tile[digits];    // where these begin in the sorted tile
  unsigned in_output[digits];  // what to add to a key's place in the tile for that in the output
  unsigned sums[warps];
};

// The threads of a warp whose keys have the same digit. The instruction takes longer the more digits differ, ballots
// always one for each bit.
__device__ inline unsigned peers_of(int digit) {
  if constexpr (match == Match::instruction) return __match_any_sync(full_warp, digit);
  unsigned peers = full_warp;
#pragma unroll
  for (int bit = 0; bit < RADIX_BITS; ++bit) {
    const bool set = (digit >> bit & 1) != 0;
    const unsigned those = __ballot_sync(full_warp, set);
    peers &= set ? those : ~those;
  }
  return peers;
}

// Each key gets its number among those of its warp with the same digit, item by item, thread by thread, on top of what
// the counters hold: put(item, number). The counters are left with as many more as there are keys.
template <class Put>
__device__ inline void rank_in_warp(const unsigned (&keys)[COARSENING], unsigned* counters, int pass, const Put& put) {
  const unsigned lanes_before = (1u << threadIdx.x % warp) - 1;
#pragma unroll
  for (int item = 0; item < COARSENING; ++item) {
    const int digit = digit_of(keys[item], pass);
    const unsigned peers = peers_of(digit);
    const unsigned before = counters[digit];
    __syncwarp();
    if ((peers & lanes_before) == 0) counters[digit] = before + static_cast<unsigned>(__popc(peers));
    __syncwarp();
    put(item, before + static_cast<unsigned>(__popc(peers & lanes_before)));
  }
}

__device__ inline void count_in_warp(const unsigned (&keys)[COARSENING], unsigned* counters, int pass) {
#pragma unroll
  for (int item = 0; item < COARSENING; ++item) atomicAdd(&counters[digit_of(keys[item], pass)], 1u);
}

// Turns the warps' counts into where their keys begin in the tile. `publish(digit, count)` is called as soon as the
// tile's counts are known. Ends with a barrier.
template <class Publish>
__device__ inline void place_warps(Digits& known, const Publish& publish) {
  unsigned before = 0;
  for (int first = 0; first < digits; first += BLOCK_SIZE) {
    const int digit = first + static_cast<int>(threadIdx.x);
    unsigned count = 0;
    if (digit < digits) {
#pragma unroll
      for (int i = 0; i < warps; ++i) count += known.of_warp[i][digit];
      publish(digit, count);
      known.count[digit] = count;
    }
    unsigned total;
    unsigned begin = before + block_scan<BLOCK_SIZE>(count, known.sums, total);
    if (digit < digits) {
      known.in_tile[digit] = begin;
#pragma unroll
      for (int i = 0; i < warps; ++i) {
        const unsigned of_warp = known.of_warp[i][digit];
        known.of_warp[i][digit] = begin;
        begin += of_warp;
      }
    }
    before += total;
    __syncthreads();
  }
}

// Finds each key's place in the tile: put(item, place). Counting before ranking reads every digit twice, but other
// tiles see the counts earlier, and no rank has to wait in a register for the counts.
template <class Publish, class Put>
__device__ inline void place_keys(const unsigned (&keys)[COARSENING], Digits& known, int pass, const Publish& publish,
                                  const Put& put) {
  const int thread = static_cast<int>(threadIdx.x);
  unsigned* counters = known.of_warp[thread / warp];
  for (int digit = thread % warp; digit < digits; digit += warp) counters[digit] = 0;
  __syncwarp();
  unsigned ranks[COARSENING];
  if constexpr (EARLY_COUNTS) {
    count_in_warp(keys, counters, pass);
  } else {
    rank_in_warp(keys, counters, pass, [&ranks](int item, unsigned rank) { ranks[item] = rank; });
  }
  __syncthreads();
  place_warps(known, publish);
  if constexpr (EARLY_COUNTS) {
    rank_in_warp(keys, counters, pass, put);
  } else {
#pragma unroll
    for (int item = 0; item < COARSENING; ++item) put(item, ranks[item] + counters[digit_of(keys[item], pass)]);
  }
}
