#pragma once

#include <cstddef>
#include <vector>

#include "search/trial.h"

namespace warptune::tuner {

// Indices of the trials that no other one dominates (is as good in every objective and better in one), by their first
// objective. Of trials with equal objectives the first stays. Only finite objectives count; with a single objective the
// front is the best trial.
std::vector<std::size_t> pareto_front(const std::vector<search::Trial>& trials);

}  // namespace warptune::tuner
