// The domino: a block waits for its left neighbour alone, and passes on to its right neighbour what lies before it. One
// pass, but blocks follow each other one by one, a round trip to the L2 cache apart; look-back mends that.
#pragma once

#include <warptune/device/look_back.cuh>

#include "block_scan.cuh"

using Tiles = warptune::device::TileSums<Value>;
using State = Tiles::State;

// The sum before `tile`, for thread 0. Sum and flag share a word, so that no fence is needed between them.
__device__ inline Value sum_from_left_neighbour(volatile State* states, long long tile, Value tile_sum) {
  Value before = 0;
  if (tile > 0) {
    State left = states[tile - 1];
    while (Tiles::status_of(left) == warptune::device::nothing_yet) left = states[tile - 1];
    before = Tiles::sum_of(left);
  }
  Tiles::publish(states, tile, warptune::device::sum_from_start, before + tile_sum);
  return before;
}
