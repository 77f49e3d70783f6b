// Declares the strategy `auto`.
#pragma once

#include "search/strategies/strategy.h"

namespace warptune::search {

// Returns the default strategy: a Gaussian process, relieved by local search when the model finds nothing or has become
// expensive.
StrategyEntry automatic_strategy();

}  // namespace warptune::search
