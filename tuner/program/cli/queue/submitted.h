// Limits what a row of the queue may have `tune` do on a node to what `submit` writes, since SQL can write any row.
#pragma once

#include <string>
#include <vector>

namespace warptune::tuner::cli {

// Returns why `submit` cannot have written these arguments; empty if it may have written them. `tune` judges their
// values.
std::string refusal_of_arguments(const std::vector<std::string>& arguments);

}  // namespace warptune::tuner::cli
