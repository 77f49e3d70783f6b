// Limits what a row of the queue may have `tune` do on a node to what `submit` writes, since SQL can write any row.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warptune::tuner {

// Returns whether an order may have this option of `tune`, as "--seed". `submit` passes it on as it was given, but for
// --size, --variant and --budget, which it writes anew.
bool is_ordered(std::string_view option);

// Returns why `submit` cannot have written these arguments; empty if it may have written them. `tune` judges their
// values.
std::string refusal_of_arguments(const std::vector<std::string>& arguments);

}  // namespace warptune::tuner
