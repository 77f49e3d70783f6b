// How a block of a single pass learns how many elements all tiles before its own keep (Merrill & Garland 2016): every
// tile publishes its own count as soon as it has it, later the count up to its end; a warp looks back over the tiles
// before its own and adds up until it meets one that counts from the beginning.
#pragma once

constexpr int warp = 32;

// What a tile has published, in one 8-byte word, so that no fence is needed between the flag and the count: two bits
// that say what it is, and the count.
using State = unsigned long long;
constexpr State own_count = 1ull << 62;
constexpr State count_from_start = 2ull << 62;
constexpr State kinds = 3ull << 62;

__device__ inline void publish(volatile State* states, long long tile, State kind, long long count) {
  states[tile] = kind | static_cast<State>(count);
}

// There are no tiles before the first: their count from the start is zero.
__device__ inline State look_at(const volatile State* states, long long tile) {
  return tile < 0 ? count_from_start : states[tile];
}

__device__ inline long long warp_sum(long long value) {
#pragma unroll
  for (int offset = warp / 2; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffffu, value, offset);
  return value;
}

// What the tiles before `tile` keep, in all lanes of the warp that calls it. Each lane reads LOOK_BACK_WINDOW states at
// once: the window must outrun the tiles that finish during one round trip to the L2 cache, or all blocks wait for one
// chain.
__device__ inline long long look_back(const volatile State* states, long long tile) {
  constexpr unsigned all = 0xffffffffu;
  const int lane = static_cast<int>(threadIdx.x) % warp;
  long long count = 0;
  for (long long nearest = tile - 1 - lane;; nearest -= LOOK_BACK_WINDOW * warp) {
    State seen[LOOK_BACK_WINDOW];
#pragma unroll
    for (int look = 0; look < LOOK_BACK_WINDOW; ++look) seen[look] = look_at(states, nearest - look * warp);
#pragma unroll
    for (int look = 0; look < LOOK_BACK_WINDOW; ++look) {
      // Only the tiles up to the nearest count from the start need to be there.
      for (;;) {
        const unsigned from_start = __ballot_sync(all, (seen[look] & kinds) == count_from_start);
        const unsigned needed = from_start == 0 ? all : (from_start & (0u - from_start)) * 2 - 1;
        const unsigned there = __ballot_sync(all, seen[look] != 0);
        if ((there & needed) == needed) {
          if ((needed >> lane & 1) != 0) count += static_cast<long long>(seen[look] & ~kinds);
          if (from_start != 0) return warp_sum(count);
          break;
        }
        seen[look] = look_at(states, nearest - look * warp);
      }
    }
  }
}
