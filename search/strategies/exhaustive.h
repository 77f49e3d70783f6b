// Declares the strategy `exhaustive`.
#pragma once

#include "search/strategies/strategy.h"

namespace warptune::search {

// Returns the strategy that tries every valid configuration once, in the space's order. Small spaces and recordings
// want this ("brute force").
StrategyEntry exhaustive_strategy();

}  // namespace warptune::search
