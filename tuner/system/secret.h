// Makes and compares what lets somebody in: the token of a page's address, and of a session's agents.
#pragma once

#include <string>
#include <string_view>

namespace warptune::tuner {

// Returns 128 random bits, in hexadecimal digits. Throws std::system_error.
std::string random_token();
// Returns whether two texts are equal. It takes equally long wherever they differ.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace warptune::tuner
