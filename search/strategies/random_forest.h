// Declares the strategy `random_forest`.
#pragma once

#include "search/strategies/strategy.h"

namespace warptune::search {

// Returns sequential model-based search with a random forest (Hutter, Hoos and Leyton-Brown 2011).
StrategyEntry random_forest_strategy();

}  // namespace warptune::search
