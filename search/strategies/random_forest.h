#pragma once

#include "search/strategy.h"

namespace warptune {

// Sequential model-based search with a random forest (Hutter, Hoos and Leyton-Brown 2011).
StrategyEntry random_forest_strategy();

}  // namespace warptune
