// Declares the strategy `random`.
#pragma once

#include "search/strategies/strategy.h"

namespace warptune::search {

// Returns the strategy that draws uniformly from the valid configurations, without repeats. It is the yardstick of
// every other strategy.
StrategyEntry random_strategy();

}  // namespace warptune::search
