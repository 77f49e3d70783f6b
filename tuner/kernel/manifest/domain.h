// The values of a parameter, as a manifest gives them.
#pragma once

#include <string>
#include <vector>

#include "search/value.h"
#include "tuner/kernel/manifest/document.h"

namespace warptune::tuner {

// From a table with exactly one of `values`, `range` ([first, last] or [first, last, step]) and `powers_of_two`
// ([first, last]). At most a million values, each once. Throws ManifestError.
std::vector<search::Value> read_domain(const Node& node);

// "32, 64, 128"; the first of them where there are many.
std::string shown_domain(const std::vector<search::Value>& values);

}  // namespace warptune::tuner
