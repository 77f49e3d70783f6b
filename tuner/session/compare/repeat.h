// Runs one repeat of a comparison: a strategy on a recording with a seed.
#pragma once

#include <vector>

#include "search/compare/trajectory.h"
#include "tuner/session/compare/comparison.h"

namespace warptune::tuner::compare {

struct Repeat {
  search::compare::Run run;
  double cpu_s = 0;  // of the strategy
};

Repeat run_repeat(const Request& request, const replay::Recording& recording,
                  const search::compare::ScoredSpace& scored, const StrategyChoice& choice, std::uint64_t seed);

}  // namespace warptune::tuner::compare
