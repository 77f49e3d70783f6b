// Declares the strategy `differential_evolution`.
#pragma once

#include "search/strategies/strategy.h"

namespace warptune::search {

// Returns differential evolution (Storn and Price 1997), current-to-best/1/bin, on positions among values, without
// generations.
StrategyEntry differential_evolution_strategy();

}  // namespace warptune::search
