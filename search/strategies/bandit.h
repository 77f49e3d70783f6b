#pragma once

#include "search/strategies/strategy.h"

namespace warptune::search {

// A bandit over other strategies (Ansel et al. 2014, OpenTuner): each is credited with the area under the curve of its
// recent new bests, plus a bonus for being tried rarely; the best credit asks next, and all learn from every result.
StrategyEntry bandit_strategy();

}  // namespace warptune::search
