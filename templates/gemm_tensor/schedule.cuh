// How the warpgroups of a block share its work.
#pragma once

#include "stages.cuh"

enum class Schedule {
  cooperative,  // they share a tile
  staggered,    // they share a tile, and the second is behind the first: one multiplies while the other writes
  pingpong      // each has its own tile, and they take turns
};

constexpr Schedule schedule = Schedule::SCHEDULE;
constexpr bool taking_turns = schedule == Schedule::pingpong;

// Pairs of tiles that a staggered warpgroup begins behind the first: as many as the ring holds, less what the copies
// need to stay ahead of the first.
constexpr int lead = STAGES / 2;

// Called with each pair that a warpgroup has started. Lets the second begin with the tile.
template <class Stages>
__device__ inline void lead_on(const Stages& stages, int pair, int pairs) {
  if constexpr (schedule != Schedule::staggered) return;
  if (group_of_thread() == 0 && pair + 1 == (lead < pairs ? lead : pairs)) arrive_as_warp(stages.go(1));
}

// Whether a warpgroup waits for stages.go before it begins with a tile.
__device__ inline bool waits_for_go() {
  return taking_turns || (schedule == Schedule::staggered && group_of_thread() > 0);
}
