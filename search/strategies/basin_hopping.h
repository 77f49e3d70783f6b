// Declares the strategy `basin_hopping`.
#pragma once

#include "search/strategies/strategy.h"

namespace warptune::search {

// Returns basin hopping (Wales and Doye 1997), which is a random walk over local optima. Each jump is accepted by the
// Metropolis rule.
StrategyEntry basin_hopping_strategy();

}  // namespace warptune::search
