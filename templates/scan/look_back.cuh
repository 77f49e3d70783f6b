// How a block of a single pass learns the sum of all tiles before its own (Merrill & Garland 2016): every tile
// publishes its own sum as soon as it has it, later the sum up to its end; a warp looks back over the tiles before its
// own and adds up sums until it meets one that reaches from the beginning.
#pragma once

#include "block_scan.cuh"

// What a tile has published, in one 8-byte word, so that no fence is needed between the flag and the sum.
using State = unsigned long long;
enum : unsigned { nothing_yet = 0, own_sum = 1, sum_from_start = 2 };

__device__ inline void publish(volatile State* states, long long tile, unsigned kind, Value sum) {
  states[tile] = static_cast<State>(kind) << 32 | static_cast<unsigned>(sum);
}
__device__ inline unsigned kind_of(State state) {
  return static_cast<unsigned>(state >> 32);
}

// There are no tiles before the first: their sum from the start is zero.
__device__ inline State look_at(const volatile State* states, long long tile) {
  return tile < 0 ? static_cast<State>(sum_from_start) << 32 : states[tile];
}

__device__ inline Value warp_sum(Value value) {
#pragma unroll
  for (int offset = warp / 2; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffffu, value, offset);
  return value;
}

// The sum of the tiles before `tile`, in all lanes of the warp that calls it. Each lane reads LOOK_BACK_WINDOW states
// at once: the window must outrun the tiles that finish during one round trip to the L2 cache, or all blocks wait for
// one chain.
__device__ inline Value look_back(const volatile State* states, long long tile) {
  constexpr unsigned all = 0xffffffffu;
  const int lane = static_cast<int>(threadIdx.x) % warp;
  Value sum = 0;
  for (long long nearest = tile - 1 - lane;; nearest -= LOOK_BACK_WINDOW * warp) {
    State seen[LOOK_BACK_WINDOW];
#pragma unroll
    for (int look = 0; look < LOOK_BACK_WINDOW; ++look) seen[look] = look_at(states, nearest - look * warp);
#pragma unroll
    for (int look = 0; look < LOOK_BACK_WINDOW; ++look) {
      // Only the tiles up to the nearest sum from the start need to be there.
      for (;;) {
        const unsigned from_start = __ballot_sync(all, kind_of(seen[look]) == sum_from_start);
        const unsigned needed = from_start == 0 ? all : (from_start & (0u - from_start)) * 2 - 1;
        const unsigned there = __ballot_sync(all, kind_of(seen[look]) != nothing_yet);
        if ((there & needed) == needed) {
          const bool counts = (needed >> lane & 1) != 0;
          sum += counts ? static_cast<Value>(static_cast<unsigned>(seen[look])) : 0;
          if (from_start != 0) return warp_sum(sum);
          break;
        }
        seen[look] = look_at(states, nearest - look * warp);
      }
    }
  }
}
