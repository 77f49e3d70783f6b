// Sets of inputs that a kernel is judged on: those that its manifest describes, drawn anew, and others that kernels are
// often wrong for. Only drawn arguments change; what comes from files or functions stays as it is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/kernel/json_values.h"

namespace warptune::tuner::judge {

enum class Inputs : std::uint8_t {
  as_drawn,  // the manifest's own ranges, from another seed
  zeros,     // 0; integers only where their range holds it
  negative,  // below 0, with the range's largest magnitude; integers at their range's lower end
  large,     // 1024 times as large; integers at their range's upper end
  tiny,      // subnormal numbers and the smallest normal ones
};

// "random", "zeros", "negative", "large", "tiny".
std::string_view to_string(Inputs inputs);
const std::vector<Inputs>& all_inputs();
// Throws std::invalid_argument that lists the words.
Inputs inputs_from_string(std::string_view text);

// Whether the manifest has arguments that the set changes.
bool changes(const Json& manifest, Inputs inputs);

// Whether what is right may differ by more than the manifest says: of large inputs, by the square of the factor, as
// products do. Outputs that do not grow with their inputs are right within the manifest's own tolerance.
enum class Room : std::uint8_t { own, grown };
// The manifest with these inputs. Equal seeds in it stay equal, for buffers may have to agree.
Json with_inputs(Json manifest, Inputs inputs, std::uint64_t seed, Room room = Room::grown);

}  // namespace warptune::tuner::judge
