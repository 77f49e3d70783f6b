#pragma once

#include <cstddef>
#include <vector>

namespace warptune::tuner {

// Of candidates by their objectives, smaller is better: the indices of those that no other one dominates (is as good in
// every objective and better in one), by the first objective. Of equal ones the first stays. Who has no objectives, or
// one that is not finite, is left out; with a single objective the front is the best.
std::vector<std::size_t> pareto_front(const std::vector<std::vector<double>>& candidates);

}  // namespace warptune::tuner
