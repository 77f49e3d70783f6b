// One repeat: a strategy, a recording, a seed.
#pragma once

#include "search/compare/trajectory.h"
#include "tuner/compare/comparison.h"

namespace warptune::compare {

struct Repeat {
  Run run;
  double cpu_s = 0;  // of the strategy
};

Repeat run_repeat(const Request& request, const replay::Recording& recording, const ScoredSpace& scored,
                  const StrategyChoice& choice, std::uint64_t seed);

}  // namespace warptune::compare
