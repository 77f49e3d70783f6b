// Turns runs into trajectories, and reads ranks, ratios and numbers of evaluations from them.
#include "search/compare/trajectory.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace warptune::search::compare {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double excess(const ScoredSpace& space, Rank rank) {
  const double difference = space.objectives()[rank] - space.optimum();
  return difference == 0 ? 0 : difference / std::abs(space.optimum());
}

}  // namespace

Trajectory trajectory(const ScoredSpace& space, const Run& run) {
  std::vector<bool> seen(space.size());
  Trajectory steps;
  steps.reserve(run.size());
  TrajectoryPoint last;
  for (const auto& [configuration, time_s] : run) {
    if (configuration >= space.size()) throw std::out_of_range("a run names a configuration that its space lacks");
    if (!(time_s >= last.time_s)) throw std::invalid_argument("a run's evaluations are not in order of completion");
    if (seen[configuration]) continue;
    seen[configuration] = true;
    last = {time_s, std::min(last.best, space.rank(configuration))};
    steps.push_back(last);
  }
  return steps;
}

std::vector<Rank> ranks_on_grid(const ScoredSpace& space, const Trajectory& steps) {
  const auto first =
      std::find_if(steps.begin(), steps.end(), [](const TrajectoryPoint& step) { return step.best != no_rank; });
  Rank current = first == steps.end() ? static_cast<Rank>(space.objectives().size() - 1) : first->best;
  std::vector<Rank> ranks;
  ranks.reserve(space.grid_s().size());
  auto next = first;
  for (double time_s : space.grid_s()) {
    for (; next != steps.end() && next->time_s <= time_s; ++next) current = next->best;
    ranks.push_back(current);
  }
  return ranks;
}

double ratio_after(const ScoredSpace& space, const Trajectory& steps, std::size_t evaluations) {
  const std::size_t n = std::min(evaluations, steps.size());
  if (n == 0 || steps[n - 1].best == no_rank) return infinity;
  return 1 + excess(space, steps[n - 1].best);
}

double evaluations_to_within(const ScoredSpace& space, const Trajectory& steps, double share) {
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (steps[i].best != no_rank && excess(space, steps[i].best) <= share) return static_cast<double>(i + 1);
  return infinity;
}

}  // namespace warptune::search::compare
