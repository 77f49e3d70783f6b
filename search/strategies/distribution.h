// Declares the strategy `distribution`.
#pragma once

#include "search/strategies/strategy.h"

namespace warptune::search {

// Returns estimation of distribution (univariate: Mühlenbein and Paaß 1996; incremental: Baluja 1994). Values that are
// frequent among the best configurations are drawn more often, values that are frequent among failures less.
StrategyEntry distribution_strategy();

}  // namespace warptune::search
