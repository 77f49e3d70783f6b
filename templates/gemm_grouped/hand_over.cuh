// How those that multiply learn which tile is theirs: who copies searches, and hands tiles over through shared memory,
// one place for each that is under way (compute capability 9.0). The parameters are described in kernel.cu.
#pragma once

#include "group_tiles.cuh"
#include "search.cuh"

// One tile is multiplied while the next is copied, or each warpgroup has its own.
constexpr int handed_over = 2;

using Hand = RingPlace<handed_over>;

struct HandOver {
  Window start;

  static constexpr int bytes = handed_over * (static_cast<int>(sizeof(ExpertTile)) + 2 * barrier_bytes);

  __device__ ExpertTile& tile(int place) const { return reinterpret_cast<ExpertTile*>(pointer_to(start))[place]; }
  __device__ Window full(int place) const {
    return start + static_cast<unsigned>(handed_over * sizeof(ExpertTile) + 2 * place * barrier_bytes);
  }
  __device__ Window free(int place) const { return full(place) + barrier_bytes; }

  __device__ void make() const {
    for (int i = 0; i < handed_over; ++i) {
      make_barrier(full(i), 1);
      make_barrier(free(i), warpgroup / 32 * (taking_turns ? 1 : CONSUMERS));
    }
  }
  __device__ void give(Hand& hand, const ExpertTile& given) const {
    wait_for_phase(free(hand.stage), hand.parity ^ 1);
    tile(hand.stage) = given;
    arrive(full(hand.stage));
    hand.advance();
  }
  // Warpgroups that take turns get every second tile.
  __device__ ExpertTile take(Hand& hand) const {
    wait_for_phase(full(hand.stage), hand.parity);
    const ExpertTile taken = tile(hand.stage);
    __syncwarp();
    arrive_as_warp(free(hand.stage));
    hand.skip(taking_turns ? CONSUMERS : 1);
    return taken;
  }
  // No expert: there are no more tiles. All who take must hear of it.
  __device__ void give_end(Hand& hand) const {
    for (int i = 0; i < (taking_turns ? CONSUMERS : 1); ++i) give(hand, {{0, 0}, 0, -1});
  }
};
