// Writes a comparison as text: a table for people, JSON and CSV for programs.
#pragma once

#include <string>

#include "tuner/results/report/text/table.h"
#include "tuner/session/compare/comparison.h"

namespace warptune::tuner::compare {

// Returns a table with a line a strategy over all spaces, best first; then P_direct by space. What was never reached is
// "-".
std::string to_table(const Comparison& comparison, std::size_t width = 0);
// Returns everything; what was never reached is null.
std::string to_json(const Comparison& comparison);
// Returns a line for each strategy and space, then one for each strategy over all (space "*"); what was never reached
// is empty.
std::string to_csv(const Comparison& comparison);

// Returns the comparison in this format. Lines of a table have at most `width` characters, if that can be had; 0: no
// limit.
std::string render(const Comparison& comparison, Format format, std::size_t width = 0);

}  // namespace warptune::tuner::compare
