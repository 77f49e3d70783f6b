// Computes the Pareto front of candidates.
#pragma once

#include <cstddef>
#include <vector>

namespace warptune::tuner {

// Returns the indices of the candidates that no other one dominates, ordered by the first objective. Smaller objectives
// are better. One candidate dominates another if it is as good in every objective and better in one. Of equal
// candidates the first stays. A candidate that has no objectives, or one that is not finite, is left out. With a single
// objective the front is the best candidate.
std::vector<std::size_t> pareto_front(const std::vector<std::vector<double>>& candidates);

}  // namespace warptune::tuner
