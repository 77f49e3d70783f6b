// How deep a TOML text nests, before it is parsed.
#pragma once

#include <cstddef>
#include <string_view>

namespace warptune::tuner {

// The number of the first line with more than 32 brackets around something, or a key of more than 16 parts
// (a.b.c…); 0 if there is none.
std::size_t too_deep_line(std::string_view toml);

}  // namespace warptune::tuner
