// Reports a search space: its sizes, domains and constraints.
#pragma once

#include <string>

#include "search/space/search_space.h"
#include "tuner/kernel/kernel_template.h"
#include "tuner/results/report/text/document.h"
#include "tuner/results/report/text/table.h"

namespace warptune::tuner {

// Returns the Cartesian and the valid size, each parameter's domain before and after the constraints, how many
// combinations each constraint rejects, and for an empty space the constraints that contradict each other. `kernel`, if
// there is a template, knows the defaults and what the parameters are about. Lines have at most `width` characters, if
// that can be had; 0: no limit.
std::string space_report(const search::SearchSpace& space, const KernelTemplate* kernel = nullptr,
                         std::size_t width = 0);

// Returns the same for programs: one row a parameter, with the sizes of the whole in each.
Table space_summary(const search::SearchSpace& space);

// Returns the same as a JSON document.
Json space_json(const search::SearchSpace& space, const KernelTemplate* kernel = nullptr);

// Returns configurations as rows, with a column for each parameter.
Table configuration_table(const search::SearchSpace& space, const std::vector<search::Configuration>& configurations);

}  // namespace warptune::tuner
