// How a block of a single pass learns what the tiles before its own carry over to it (decoupled look-back, Merrill &
// Garland 2016). Segments make it easier than in a plain scan: a tile with a head anywhere knows what it carries over
// without asking anybody, and ends the search of all tiles behind it.
#pragma once

#include "segment.cuh"

// Status and sum in one word, which is written at once, so that no fence is needed between them.
using State = unsigned long long;
enum : unsigned { nothing_yet = 0, own_sum = 1, carry_known = 2 };

__device__ inline void publish(volatile State* states, long long tile, unsigned status, Value sum) {
  states[tile] = static_cast<State>(status) << 32 | static_cast<unsigned>(sum);
}

// Nothing is carried over from before the first tile.
__device__ inline State state_of(const volatile State* states, long long tile) {
  return tile < 0 ? static_cast<State>(carry_known) << 32 : states[tile];
}

// Of 32 tiles, lane 0 having the nearest: this lane's share of what they carry over. `ended`: one of them knew its
// carry. Waits until all tiles up to that one have something to say.
__device__ inline Value share_of_window(const volatile State* states, long long tile, State state, bool& ended) {
  for (;;) {
    const unsigned status = static_cast<unsigned>(state >> 32);
    const unsigned known = __ballot_sync(full_warp, status == carry_known);
    const unsigned needed = known == 0 ? full_warp : known ^ (known - 1);  // up to the lowest bit
    const unsigned there = __ballot_sync(full_warp, status != nothing_yet);
    ended = known != 0;
    if ((there & needed) == needed) {
      return (needed >> threadIdx.x % warp & 1) != 0 ? static_cast<Value>(static_cast<unsigned>(state)) : 0;
    }
    state = state_of(states, tile);
  }
}

// What the tiles before `tile` carry over to it, in all lanes of the warp that calls. LOOK_BACK_WINDOW windows are
// requested at once: they must outrun the tiles that finish during a round trip to the L2 cache.
__device__ inline Value carry_before(const volatile State* states, long long tile) {
  Value sum = 0;
  bool ended = false;
  for (long long nearest = tile - 1 - static_cast<int>(threadIdx.x) % warp; !ended;
       nearest -= LOOK_BACK_WINDOW * warp) {
    State seen[LOOK_BACK_WINDOW];
#pragma unroll
    for (int look = 0; look < LOOK_BACK_WINDOW; ++look) seen[look] = state_of(states, nearest - look * warp);
#pragma unroll
    for (int look = 0; look < LOOK_BACK_WINDOW; ++look) {
      if (!ended) sum += share_of_window(states, nearest - look * warp, seen[look], ended);
    }
  }
#pragma unroll
  for (int offset = warp / 2; offset > 0; offset /= 2) sum += __shfl_xor_sync(full_warp, sum, offset);
  return sum;
}
