// Computes shuffles, votes, matches and reductions lane by lane.
#include "tuner/device/backends/host/execution/warp_operations.h"

#include <algorithm>
#include <cstdint>

namespace warptune::tuner::host {

namespace {

using warptune_host::Wait;
using warptune_host::Word;
using Lanes = std::array<Lane*, kWarpSize>;

bool contains(unsigned mask, unsigned lane) {
  return lane < kWarpSize && (mask >> lane & 1) != 0;
}

// Returns the lane that a shuffle reads from, by the PTX manual's shfl. Segments have `width` lanes, and a source
// beyond the segment's end leaves the lane its own value.
unsigned source_lane(Wait what, unsigned lane, unsigned argument) {
  const unsigned width = argument >> 8;
  const unsigned amount = argument & 0xff;
  const unsigned first = lane & ~(width - 1);
  switch (what) {
    case Wait::kShuffleIndex:
      return first + (amount & (width - 1));
    case Wait::kShuffleUp:
      return lane < first + amount ? lane : lane - amount;
    case Wait::kShuffleDown:
      return lane + amount >= first + width ? lane : lane + amount;
    default:
      return (lane ^ amount) >= first + width ? lane : lane ^ amount;
  }
}

void shuffle(Wait what, unsigned arrived, const Lanes& lanes) {
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    if (!contains(arrived, lane)) continue;
    const unsigned source = source_lane(what, lane, lanes[lane]->argument);
    lanes[lane]->result = lanes[contains(arrived, source) ? source : lane]->value;
  }
}

template <class Test>
unsigned ballot(unsigned arrived, const Lanes& lanes, Test test) {
  unsigned votes = 0;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    if (contains(arrived, lane) && test(*lanes[lane])) votes |= 1u << lane;
  }
  return votes;
}

unsigned combine(Wait what, unsigned a, unsigned b) {
  const auto signed_a = static_cast<std::int32_t>(a), signed_b = static_cast<std::int32_t>(b);
  switch (what) {
    case Wait::kReduceAdd:
      return a + b;
    case Wait::kReduceMinSigned:
      return static_cast<unsigned>(std::min(signed_a, signed_b));
    case Wait::kReduceMaxSigned:
      return static_cast<unsigned>(std::max(signed_a, signed_b));
    case Wait::kReduceMinUnsigned:
      return std::min(a, b);
    case Wait::kReduceMaxUnsigned:
      return std::max(a, b);
    case Wait::kReduceAnd:
      return a & b;
    case Wait::kReduceOr:
      return a | b;
    default:
      return a ^ b;
  }
}

unsigned reduce(Wait what, unsigned arrived, const Lanes& lanes) {
  const unsigned first = static_cast<unsigned>(__builtin_ctz(arrived));
  auto total = static_cast<unsigned>(lanes[first]->value);
  for (unsigned lane = first + 1; lane < kWarpSize; ++lane) {
    if (contains(arrived, lane)) total = combine(what, total, static_cast<unsigned>(lanes[lane]->value));
  }
  return total;
}

void give_all(unsigned arrived, const Lanes& lanes, Word result) {
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    if (contains(arrived, lane)) lanes[lane]->result = result;
  }
}

void match_any(unsigned arrived, const Lanes& lanes) {
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    if (!contains(arrived, lane)) continue;
    const Word wanted = lanes[lane]->value;
    lanes[lane]->result = ballot(arrived, lanes, [wanted](const Lane& other) { return other.value == wanted; });
  }
}

Word match_all(unsigned arrived, const Lanes& lanes) {
  const Word wanted = lanes[static_cast<unsigned>(__builtin_ctz(arrived))]->value;
  const unsigned same = ballot(arrived, lanes, [wanted](const Lane& lane) { return lane.value == wanted; });
  return same == arrived ? arrived : 0;
}

}  // namespace

void complete(Wait what, unsigned arrived, const Lanes& lanes) {
  switch (what) {
    case Wait::kWarpBarrier:
      return;
    case Wait::kShuffleIndex:
    case Wait::kShuffleUp:
    case Wait::kShuffleDown:
    case Wait::kShuffleXor:
      return shuffle(what, arrived, lanes);
    case Wait::kBallot:
      return give_all(arrived, lanes, ballot(arrived, lanes, [](const Lane& lane) { return lane.value != 0; }));
    case Wait::kMatchAny:
      return match_any(arrived, lanes);
    case Wait::kMatchAll:
      return give_all(arrived, lanes, match_all(arrived, lanes));
    case Wait::kActiveMask:
      return give_all(arrived, lanes, arrived);
    default:
      return give_all(arrived, lanes, reduce(what, arrived, lanes));
  }
}

const char* name_of(Wait what) {
  switch (what) {
    case Wait::kBlockBarrier:
      return "__syncthreads";
    case Wait::kBlockCount:
      return "__syncthreads_count";
    case Wait::kBlockAnd:
      return "__syncthreads_and";
    case Wait::kBlockOr:
      return "__syncthreads_or";
    case Wait::kWarpBarrier:
      return "__syncwarp";
    case Wait::kShuffleIndex:
      return "__shfl_sync";
    case Wait::kShuffleUp:
      return "__shfl_up_sync";
    case Wait::kShuffleDown:
      return "__shfl_down_sync";
    case Wait::kShuffleXor:
      return "__shfl_xor_sync";
    case Wait::kBallot:
      return "a vote";
    case Wait::kMatchAny:
    case Wait::kMatchAll:
      return "a match";
    case Wait::kActiveMask:
      return "__activemask";
    default:
      return "a __reduce";
  }
}

}  // namespace warptune::tuner::host
