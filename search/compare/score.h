// Computes the figures by which strategies are compared, on one space and over several.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/compare/trajectory.h"

namespace warptune::search::compare {

// A Figure is a value with the standard error that its repeats leave (bootstrap).
struct Figure {
  double value = 0;
  double error = 0;
};

// A score reports how many evaluations it takes to come as near to the optimum as these shares of it.
inline constexpr std::array<double, 2> targets{0.05, 0.01};

struct Score {
  Figure p_direct;                                    // 1: the optimum was the first thing tried; 0: random search
  Figure p;                                           // the published tool's variant, see `isotonic_curve`
  std::vector<Figure> ratio;                          // median best / optimum at each checkpoint; may be infinite
  std::array<Figure, targets.size()> evaluations_to;  // median evaluations to come within each target; may be infinite
};

struct ScoreOptions {
  std::uint64_t seed = 1;         // of the bootstraps
  std::size_t replicates = 200;   // for every error but P's
  std::size_t p_replicates = 20;  // for P's, each of which takes a regression for each run; 0: no error
  // After each of these numbers of different configurations evaluated, the best is compared with the optimum.
  std::vector<std::size_t> checkpoints{25, 50, 100, 200, 400};
};

// Scores the runs of a strategy on a space. The function is pure and deterministic. It throws std::invalid_argument
// without runs, and what `trajectory` throws.
Score score_runs(const ScoredSpace& space, const std::vector<Run>& runs, const ScoreOptions& options = {});

// Averages scores over spaces: it takes the mean of P and P_direct, and the geometric mean of the others (infinite if
// one is). There must be at least one space, and all must have the same checkpoints.
Score overall(const std::vector<Score>& spaces);

}  // namespace warptune::search::compare
