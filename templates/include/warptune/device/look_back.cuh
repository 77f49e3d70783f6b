// Decoupled look-back: how a block of a single pass learns the sum over all tiles before its own. Every tile publishes
// its own sum as soon as it has it, and the sum up to its end as soon as it knows that; a tile looks back over those
// before it and adds up until it meets one whose sum is from the start. Global memory is then read and written once.
//
//   using Tiles = warptune::device::TileSums<int>;
//   const unsigned tile = take_ticket(ticket);
//   ...                                                            // total: the tile's sum
//   if (threadIdx.x == 0) Tiles::publish(states, tile, tile == 0 ? sum_from_start : own_sum, total);
//   if (threadIdx.x < 32) {
//     const int before = tile == 0 ? 0 : Tiles::look_back<1>(states, tile);
//     if (threadIdx.x == 0 && tile > 0) Tiles::publish(states, tile, sum_from_start, before + total);
//   }
//
// Memory: a word for each tile, and one for the tickets, all zero at the start of each launch (`zero = true` or `clear`
// in a manifest). Status and sum share a word, which is written at once, so that no fence is needed between them.
// Requirements: a block must not wait for one that does not run. Tickets guarantee that; without them it rests on GPUs
// starting blocks in the order of their indices. Blocks of one dimension and whole warps.
// Sources: Merrill & Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back" (NVIDIA, 2016); Adinets &
// Merrill, "Onesweep" (2022) for many counters at once.
#pragma once

#include <warptune/device/warp.cuh>

namespace warptune::device {

// What a tile has published.
enum TileStatus : unsigned { nothing_yet = 0, own_sum = 1, sum_from_start = 2 };

// Sums of type `Sum` in words of type `Word`, whose lower `sum_bits` bits they are; the status lies above. Where that
// is fewer bits than `Sum` has, sums are not negative and stay below 2^sum_bits.
template <class Sum, class Word = unsigned long long, int sum_bits = sizeof(Sum) == 4 ? 32 : 62>
struct TileSums {
  using State = Word;

  __device__ static unsigned status_of(State state) { return static_cast<unsigned>(state >> sum_bits); }
  __device__ static Sum sum_of(State state) { return static_cast<Sum>(state & ((State{1} << sum_bits) - 1)); }
  __device__ static State state_of(unsigned status, Sum sum) {
    if constexpr (sizeof(Sum) == 4) return static_cast<State>(status) << sum_bits | static_cast<unsigned>(sum);
    return static_cast<State>(status) << sum_bits | static_cast<State>(sum);
  }

  __device__ static void publish(volatile State* states, long long tile, unsigned status, Sum sum) {
    states[tile] = state_of(status, sum);
  }

  // There are no tiles before the first: their sum from the start is zero.
  __device__ static State look_at(const volatile State* states, long long tile) {
    return tile < 0 ? state_of(sum_from_start, 0) : states[tile];
  }

  // The sum over the tiles before `tile`, in all lanes of the warp that calls it. Each lane reads `Window` states at
  // once: 32 * Window tiles must outrun those that finish during one round trip to the L2 cache, or all blocks wait for
  // one chain.
  template <int Window>
  __device__ static Sum look_back(const volatile State* states, long long tile) {
    const int lane = lane_of_thread();
    Sum sum = 0;
    for (long long nearest = tile - 1 - lane;; nearest -= Window * warp_size) {
      State seen[Window];
#pragma unroll
      for (int look = 0; look < Window; ++look) seen[look] = look_at(states, nearest - look * warp_size);
#pragma unroll
      for (int look = 0; look < Window; ++look) {
        // Only the tiles up to the nearest sum from the start need to be there.
        for (;;) {
          const unsigned from_start = __ballot_sync(whole_warp, status_of(seen[look]) == sum_from_start);
          const unsigned needed = from_start == 0 ? whole_warp : (from_start & (0u - from_start)) * 2 - 1;
          const unsigned there = __ballot_sync(whole_warp, status_of(seen[look]) != nothing_yet);
          if ((there & needed) == needed) {
            if ((needed >> lane & 1) != 0) sum += sum_of(seen[look]);
            if (from_start != 0) return warp_sum(sum);
            break;
          }
          seen[look] = look_at(states, nearest - look * warp_size);
        }
      }
    }
  }

  // The same by one thread for itself: where there are `counters` sums for each tile (states[tile * counters +
  // counter]) and each is one thread's, neighbouring threads read neighbouring words. `tile` is not the first; what
  // lies before the first is never used, as that tile always publishes its sum from the start.
  template <int Window>
  __device__ static Sum look_back_alone(const volatile State* states, long long tile, int counters, int counter) {
    Sum sum = 0;
    for (long long nearest = tile - 1;; nearest -= Window) {
      State seen[Window];
#pragma unroll
      for (int look = 0; look < Window; ++look) seen[look] = states[max(nearest - look, 0ll) * counters + counter];
#pragma unroll
      for (int look = 0; look < Window; ++look) {
        while (status_of(seen[look]) == nothing_yet) seen[look] = states[max(nearest - look, 0ll) * counters + counter];
        sum += sum_of(seen[look]);
        if ((status_of(seen[look]) & sum_from_start) != 0) return sum;
      }
    }
  }
};

// The number of the block's next tile, for all its threads, from a counter that starts at zero: tiles are taken in the
// order in which blocks come to run. All threads call together; between two calls there must be a barrier.
__device__ inline unsigned take_ticket(unsigned* ticket) {
  __shared__ unsigned mine;
  if (threadIdx.x == 0) mine = atomicAdd(ticket, 1u);
  __syncthreads();
  return mine;
}

}  // namespace warptune::device
