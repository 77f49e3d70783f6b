// A comparison as text: a table for people, JSON and CSV for programs.
#pragma once

#include <string>

#include "tuner/compare/comparison.h"
#include "tuner/report/table.h"

namespace warptune::tuner::compare {

// Over all spaces, a line a strategy, best first; then P_direct by space. What was never reached is "-".
std::string to_table(const Comparison& comparison);
// Everything; what was never reached is null.
std::string to_json(const Comparison& comparison);
// A line for each strategy and space, then one for each strategy over all (space "*"); what was never reached is empty.
std::string to_csv(const Comparison& comparison);

std::string render(const Comparison& comparison, Format format);

}  // namespace warptune::tuner::compare
