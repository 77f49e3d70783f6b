// Computes curves from the repeats of a strategy: the mean ranks, and the published tool's regression.
#include "search/compare/curve.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "search/compare/isotonic.h"
#include "search/compare/statistics.h"

namespace warptune::search::compare {

namespace {

// Returns only the steps that the published tool would have run: it stops a run with the first evaluation beyond the
// run length.
Trajectory within_run_length(const ScoredSpace& space, const Trajectory& steps) {
  auto end = std::find_if(steps.begin(), steps.end(),
                          [&](const TrajectoryPoint& step) { return step.time_s > space.run_length_s(); });
  if (end != steps.end()) ++end;
  return {steps.begin(), end};
}

std::size_t first_valid(const Trajectory& steps) {
  const auto found =
      std::find_if(steps.begin(), steps.end(), [](const TrajectoryPoint& step) { return step.best != no_rank; });
  return static_cast<std::size_t>(found - steps.begin());
}

// Returns the points that the regression sees. They lie in the grid and in a margin around it, which is wider when runs
// are short.
std::vector<Point> pooled_points(const ScoredSpace& space, const std::vector<Trajectory>& runs) {
  std::size_t longest = 0, earliest = std::numeric_limits<std::size_t>::max();
  for (const Trajectory& run : runs) {
    longest = std::max(longest, run.size());
    earliest = std::min(earliest, first_valid(run));
  }
  if (longest <= earliest) return {};
  const double margin = 0.1 + 0.25 / static_cast<double>(longest - earliest);
  const double from_s = space.start_s() * (1 - margin), to_s = space.end_s() * (1 + margin);
  std::vector<Point> points;
  for (const Trajectory& run : runs)
    for (const TrajectoryPoint& step : run)
      if (step.best != no_rank && step.time_s >= from_s && step.time_s <= to_s)
        points.push_back({step.time_s, static_cast<double>(step.best)});
  std::sort(points.begin(), points.end(), [](const Point& a, const Point& b) { return a.x < b.x; });
  return points;
}

// Returns the earliest end of a repeat that is later than half of the ends, or infinity if there is none.
double half_ended_s(const std::vector<Trajectory>& runs) {
  std::vector<double> ends;
  for (const Trajectory& run : runs)
    if (first_valid(run) < run.size()) ends.push_back(run.back().time_s);
  std::sort(ends.begin(), ends.end());
  const auto later = std::upper_bound(ends.begin(), ends.end(), median_of_sorted(ends));
  return later == ends.end() ? std::numeric_limits<double>::infinity() : *later;
}

void hold_after(double time_s, const std::vector<double>& grid_s, std::vector<double>& curve) {
  const auto from = std::upper_bound(grid_s.begin(), grid_s.end(), time_s) - grid_s.begin();
  if (from < static_cast<std::ptrdiff_t>(curve.size())) std::fill(curve.begin() + from, curve.end(), curve[from]);
}

}  // namespace

RankTable::RankTable(const ScoredSpace& space, const std::vector<Trajectory>& trajectories) {
  for (const Trajectory& steps : trajectories) rows_.push_back(ranks_on_grid(space, steps));
}

std::vector<double> RankTable::mean() const {
  std::vector<std::size_t> all(rows_.size());
  std::iota(all.begin(), all.end(), 0);
  return mean(all);
}

std::vector<double> RankTable::mean(const std::vector<std::size_t>& repeats) const {
  std::vector<std::uint64_t> sums(rows_.front().size());
  for (std::size_t repeat : repeats) {
    const std::vector<Rank>& row = rows_[repeat];
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += row[i];
  }
  std::vector<double> means;
  means.reserve(sums.size());
  for (std::uint64_t sum : sums) means.push_back(static_cast<double>(sum) / static_cast<double>(repeats.size()));
  return means;
}

std::vector<double> isotonic_curve(const ScoredSpace& space, const std::vector<Trajectory>& trajectories, Rng& rng) {
  std::vector<Trajectory> runs;
  for (const Trajectory& steps : trajectories) runs.push_back(within_run_length(space, steps));
  const std::vector<Point> points = pooled_points(space, runs);
  if (points.empty()) return RankTable(space, trajectories).mean();  // nothing to fit
  // The tool takes one estimator for each repeat, and at least three.
  const std::size_t estimators = std::max<std::size_t>(runs.size(), 3);
  auto curve = bagged_decreasing_fit(points, space.grid_s(), estimators, rng);
  hold_after(half_ended_s(runs), space.grid_s(), curve);
  return curve;
}

}  // namespace warptune::search::compare
