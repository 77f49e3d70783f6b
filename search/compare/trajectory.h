// Describes what one run of a strategy found, and when.
#pragma once

#include <cstdint>
#include <vector>

#include "search/compare/scored_space.h"

namespace warptune::search::compare {

// An Evaluation says which configuration was evaluated, and how long after the start of the run it finished, in
// seconds.
struct Evaluation {
  std::uint32_t configuration = 0;
  double time_s = 0;
};

// A Run lists evaluations in order of completion.
using Run = std::vector<Evaluation>;

struct TrajectoryPoint {
  double time_s = 0;
  Rank best = no_rank;  // of all so far; no_rank while nothing valid was found
};

// A Trajectory has a step for each configuration that was evaluated for the first time; later evaluations of it do not
// count.
using Trajectory = std::vector<TrajectoryPoint>;

// Returns the trajectory of a run. Throws std::out_of_range for a configuration that the space does not have, and
// std::invalid_argument when times go back.
Trajectory trajectory(const ScoredSpace& space, const Run& run);

// Returns the rank that a run stands for at each grid time. This is the best rank so far; before the first valid
// evaluation it is that one's, and after the end it is the last. If nothing valid was found, it is the worst rank
// throughout.
std::vector<Rank> ranks_on_grid(const ScoredSpace& space, const Trajectory& trajectory);

// Returns the best objective after `evaluations` different configurations, relative to the optimum: 1 is the optimum,
// and infinity means that nothing valid was found yet. Objectives below 0 count the same way: 1 + (best - optimum) /
// |optimum|.
double ratio_after(const ScoredSpace& space, const Trajectory& trajectory, std::size_t evaluations);

// Returns how many different configurations were evaluated until one was at most `share` (0.05: 5 %) above the optimum,
// or infinity if none was.
double evaluations_to_within(const ScoredSpace& space, const Trajectory& trajectory, double share);

}  // namespace warptune::search::compare
