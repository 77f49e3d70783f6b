// Makes the sets of inputs that a kernel is judged on: those that its manifest describes, drawn anew, and others that
// kernels are often wrong for. Only drawn arguments change; what comes from files or functions stays as it is.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "search/value.h"
#include "tuner/kernel/json_values.h"

namespace warptune::tuner::judge {

enum class Inputs : std::uint8_t {
  as_drawn,  // the manifest's own ranges, from another seed
  zeros,     // 0; integers only where their range holds it
  negative,  // below 0, up to 8 times the range's magnitude; integers at their range's lower end
  wide,      // 8 times the range, around 0; integers over what their type holds, if nobody has said their range
  outliers,  // normally distributed: few elements lie far beyond all others
  large,     // 1024 times as large; integers at their range's upper end
  tiny,      // subnormal numbers and the smallest normal ones
};

// Returns "random", "zeros", "negative", "wide", "outliers", "large" or "tiny".
std::string_view to_string(Inputs inputs);
const std::vector<Inputs>& all_inputs();
// Reads one of these words. Throws std::invalid_argument that lists the words.
Inputs inputs_from_string(std::string_view text);

// A range has both its ends in it.
struct Range {
  double low = 0, high = 0;

  bool operator==(const Range&) const = default;
};
// These are ranges of integers, by the argument's name.
using Ranges = std::map<std::string, Range>;

// Returns ranges that integers may have where nobody has said one, the widest first. The first is what their type
// holds, but at most 16 bits, so that a product of two still fits. Then come the indices of each buffer, because the
// integers may be such. Only a run says which of the ranges the reference bears. Integers of two values are no numbers,
// and stay.
std::vector<Ranges> wider_ranges(const Json& manifest, const search::NamedValues& sizes);

// Returns whether the manifest has arguments that the set changes.
bool changes(const Json& manifest, Inputs inputs, const Ranges& ranges = {});

// Returns the manifest with these inputs. Equal seeds in it stay equal, because buffers may have to agree. `ranges` are
// those of integers whose range nobody has said.
Json with_inputs(Json manifest, Inputs inputs, std::uint64_t seed, const Ranges& ranges = {});

// Returns the manifest with other values of the floating-point numbers that are passed by value. They are between half
// and twice as large, as the seed says.
Json with_other_scalars(Json manifest, std::uint64_t seed);

}  // namespace warptune::tuner::judge
