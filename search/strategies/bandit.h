// Declares the strategy `bandit`.
#pragma once

#include "search/strategies/strategy.h"

namespace warptune::search {

// Returns a bandit over other strategies (Ansel et al. 2014, OpenTuner). Each is credited with the area under the curve
// of its recent new bests, plus a bonus for being tried rarely. The strategy with the best credit is asked next, and
// all learn from every result.
StrategyEntry bandit_strategy();

}  // namespace warptune::search
