// Reads the values of a parameter, as a manifest gives them.
#pragma once

#include <string>
#include <vector>

#include "search/value.h"
#include "tuner/kernel/manifest/document.h"

namespace warptune::tuner {

// Returns the values of a table with exactly one of `values`, `range` ([first, last] or [first, last, step]) and
// `powers_of_two` ([first, last]). There are at most a million values, each once. Throws ManifestError.
std::vector<search::Value> read_domain(const Node& node);

// Returns the values as text: "32, 64, 128". Where there are many, the text has the first of them and their number.
std::string shown_domain(const std::vector<search::Value>& values);

}  // namespace warptune::tuner
