// What a launch says beyond grid, block and shared memory, by name and in words.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tuner/device/launch_geometry.h"

namespace warptune::tuner {

// Those that differ from a plain launch's, by name: "cluster_x" 2, "carveout" 50, "programmatic" 1. What trials, stores
// and wisdom files keep.
using NamedAttributes = std::map<std::string, std::int64_t>;
NamedAttributes named_attributes(const LaunchAttributes& attributes);
// The reverse; names that are not known are ignored, and a value that no launch could have is not taken.
LaunchAttributes attributes_from(const NamedAttributes& named);

// "cluster of 2 x 1 x 1, carve-out 50 %, programmatic"; empty for a plain launch.
std::string attributes_text(const NamedAttributes& named);

}  // namespace warptune::tuner
