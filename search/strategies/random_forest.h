#pragma once

#include "search/strategies/strategy.h"

namespace warptune::search {

// Sequential model-based search with a random forest (Hutter, Hoos and Leyton-Brown 2011).
StrategyEntry random_forest_strategy();

}  // namespace warptune::search
