#pragma once

#include <string>

#include "search/search_space.h"
#include "tuner/report/table.h"

namespace warptune {

// Cartesian and valid size, each parameter's domain before and after the constraints, how many combinations each
// constraint rejects, and for an empty space the constraints that contradict each other.
std::string space_report(const SearchSpace& space);

// The same for programs: one row a parameter, with the sizes of the whole in each.
Table space_summary(const SearchSpace& space);

// Configurations as rows, a column for each parameter.
Table configuration_table(const SearchSpace& space, const std::vector<Configuration>& configurations);

}  // namespace warptune
