// What one run of a strategy found, and when.
#pragma once

#include <cstdint>
#include <vector>

#include "search/compare/scored_space.h"

namespace warptune::search::compare {

// One finished evaluation: which configuration, and how long after the start of the run, in seconds.
struct Evaluation {
  std::uint32_t configuration = 0;
  double time_s = 0;
};

// In order of completion.
using Run = std::vector<Evaluation>;

struct Step {
  double time_s = 0;
  Rank best = no_rank;  // of all so far; no_rank while nothing valid was found
};

// A step for each configuration that was evaluated for the first time; later evaluations of it do not count.
using Trajectory = std::vector<Step>;

// Throws std::out_of_range for a configuration that the space does not have, std::invalid_argument when times go back.
Trajectory trajectory(const ScoredSpace& space, const Run& run);

// The rank that a run stands for at each grid time: the best so far; before the first valid one, that one's; after the
// end, the last. The worst rank throughout, if nothing valid was found.
std::vector<Rank> ranks_on_grid(const ScoredSpace& space, const Trajectory& trajectory);

// Best objective after `evaluations` different configurations, relative to the optimum: 1 is the optimum, infinity is
// nothing valid yet. Objectives below 0 count the same way: 1 + (best - optimum) / |optimum|.
double ratio_after(const ScoredSpace& space, const Trajectory& trajectory, std::size_t evaluations);

// Different configurations evaluated until one was at most `share` (0.05: 5 %) above the optimum; infinity if never.
double evaluations_to_within(const ScoredSpace& space, const Trajectory& trajectory, double share);

}  // namespace warptune::search::compare
