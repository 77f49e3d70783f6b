#pragma once

#include "search/strategies/strategy.h"

namespace warptune::search {

// Estimation of distribution (univariate: Mühlenbein and Paaß 1996; incremental: Baluja 1994): values that are frequent
// among the best configurations are drawn more often, values that are frequent among failures less.
StrategyEntry distribution_strategy();

}  // namespace warptune::search
