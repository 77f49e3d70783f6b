// Says what may be wrong by how much, in a set of inputs that the manifest's tolerances were not made for. Outputs of
// sets differ in scale, and some depend on their inputs' last digits. So a candidate that is wrong by the manifest's
// own tolerance is looked at again with more room. Rejected: the square of the inputs' scale, as products have it. It
// covers all that functions with bounds may give, such as a sigmoid's.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tuner/kernel/json_values.h"

namespace warptune::tuner::judge {

enum class Room : std::uint8_t {
  own,    // the manifest's
  rough,  // as the outputs' scale has grown, and half of their type's digits; integers: the next one
  any,    // every finite value
};

// Holds an output's largest magnitude in the set, and in the one that the manifest describes (0: unknown).
struct Scale {
  double here = 0, ordinary = 0;
};
using Scales = std::map<std::string, Scale>;

// Returns the manifest with this room for errors. Outputs that have to be exact stay so; integers too, where no input
// has digits to lose.
Json with_room(Json manifest, Room room, const Scales& scales);

// Returns the manifest with any room for outputs that have to be exact. It is for a kernel that is held against itself
// with other inputs: such outputs tell nothing then.
Json with_exact_outputs_left_out(Json manifest);

}  // namespace warptune::tuner::judge
