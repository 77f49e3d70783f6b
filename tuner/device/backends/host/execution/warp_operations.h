// Computes the warp-level functions, as pure functions of the lanes' values.
#pragma once

#include <array>

#include "tuner/device/backends/host/shim/abi.h"

namespace warptune::tuner::host {

inline constexpr unsigned kWarpSize = 32;

// Holds one lane's part in a warp-level function.
struct Lane {
  warptune_host::Word value = 0;
  unsigned argument = 0;  // shuffles: width << 8 | source lane, delta or lane mask
  warptune_host::Word result = 0;
};

// Fills the results of the lanes in `arrived`. A shuffle from a lane that is not among them gives the lane its own
// value (undefined on a GPU).
void complete(warptune_host::Wait what, unsigned arrived, const std::array<Lane*, kWarpSize>& lanes);

// Returns what CUDA calls the function, or the kind of it: "__syncwarp", "a vote".
const char* name_of(warptune_host::Wait what);

}  // namespace warptune::tuner::host
