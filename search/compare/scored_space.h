// Makes a yardstick of a fully recorded search space: how good each configuration is, what looking at it costs, and how
// well random search would do. The formulas are those of Willemsen et al. 2024, "A methodology for comparing
// optimization algorithms for auto-tuning" (doi 10.1016/j.future.2024.05.021), as its published tool computes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace warptune::search::compare {

struct ScoredConfiguration {
  std::optional<double> objective;  // to be minimised; absent for a configuration that failed
  double cost_s = 0;                // compiling, running, framework and verification
};

// A Cutoff is the stretch of time over which strategies are compared. Its ends are fractions of the way from the median
// objective to the optimum that random search has covered on average.
struct Cutoff {
  double start = 0.01;
  double end = 0.95;
  std::size_t resolution = 1000;  // equidistant times from start to end
};

using Rank = std::uint32_t;
inline constexpr Rank no_rank = std::numeric_limits<Rank>::max();

// A ScoredSpace is immutable and safe to read from many threads.
class ScoredSpace {
 public:
  // A configuration's identity is its position. Throws std::invalid_argument if none has an objective, if a number is
  // not finite, a cost negative or all costs 0, or if the cutoff is not 0 <= start < end <= 1 with two times or more.
  explicit ScoredSpace(std::vector<ScoredConfiguration> configurations, const Cutoff& cutoff = {});

  std::size_t size() const { return configurations_.size(); }
  const ScoredConfiguration& configuration(std::size_t id) const { return configurations_[id]; }
  // Returns the position of a configuration's objective among the ascending ones (equals share the lowest), or no_rank
  // if it failed.
  Rank rank(std::size_t id) const { return ranks_[id]; }

  // Returns the valid objectives, ascending.
  const std::vector<double>& objectives() const { return objectives_; }
  double optimum() const { return objectives_.front(); }
  double median_objective() const { return median_objective_; }
  double median_cost_s() const { return median_cost_s_; }
  // Returns the mean cost of one valid evaluation, to which the failures that random search meets on the way are added.
  double mean_cost_s() const { return mean_cost_s_; }

  // Returns how many evaluations random search needs on average to cover `fraction` of the way from median to optimum.
  double evaluations_to(double fraction) const;

  // The grid has `cutoff.resolution` times. The baseline is random search's expected best objective at each of them.
  const std::vector<double>& grid_s() const { return grid_s_; }
  const std::vector<double>& baseline() const { return baseline_; }
  double start_s() const { return grid_s_.front(); }
  double end_s() const { return grid_s_.back(); }
  // Returns how long a run must last so that its last evaluations still bear on the end of the grid.
  double run_length_s() const { return 1.1 * end_s(); }

  // Returns (S - C) / (S - optimum) averaged over the grid, where S is the baseline and C the curve's objective. It is
  // 1 if the optimum was known from the start, and 0 if the curve is no better than random search. `curve_ranks` holds
  // a rank for each grid time. Times at which random search already expects the optimum tell nothing and are left out;
  // the score is 0 if none is left.
  double score(const std::vector<double>& curve_ranks) const;

 private:
  void set_costs();
  void set_grid(const Cutoff& cutoff);
  void set_baseline();
  double random_search_evaluations(double time_s) const;
  double random_search_best(double evaluations) const;

  std::vector<ScoredConfiguration> configurations_;
  std::vector<Rank> ranks_;
  std::vector<double> objectives_;
  double median_objective_ = 0;
  double median_cost_s_ = 0;
  double mean_cost_s_ = 0;
  std::vector<double> grid_s_;
  std::vector<double> baseline_;
};

}  // namespace warptune::search::compare
