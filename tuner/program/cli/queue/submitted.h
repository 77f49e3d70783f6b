// What a row of the queue may have `tune` do on a node: what `submit` writes, and no more. Rows are open to SQL.
#pragma once

#include <string>
#include <vector>

namespace warptune::tuner::cli {

// Why `submit` writes no such arguments; empty if it may have written them. Their values are for `tune` to judge.
std::string refusal_of_arguments(const std::vector<std::string>& arguments);

}  // namespace warptune::tuner::cli
