// Declares the strategy `parzen`.
#pragma once

#include "search/strategies/strategy.h"

namespace warptune::search {

// Returns sequential model-based search with Parzen estimators of the good and the bad (Bergstra et al. 2011).
StrategyEntry parzen_strategy();

}  // namespace warptune::search
