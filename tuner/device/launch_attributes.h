// Converts what a launch says beyond grid, block and shared memory to names and to words.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tuner/device/launch_geometry.h"

namespace warptune::tuner {

// Maps the attributes that differ from a plain launch's to their values: "cluster_x" 2, "carveout" 50, "programmatic"
// 1. Trials, stores and wisdom files keep this map.
using NamedAttributes = std::map<std::string, std::int64_t>;
NamedAttributes named_attributes(const LaunchAttributes& attributes);
// Returns the attributes of such a map. Names that are not known are ignored, and a value that no launch could have is
// not taken.
LaunchAttributes attributes_from(const NamedAttributes& named);

// Returns the attributes in words: "cluster of 2 x 1 x 1, carve-out 50 %, programmatic". The text is empty for a plain
// launch.
std::string attributes_text(const NamedAttributes& named);

}  // namespace warptune::tuner
