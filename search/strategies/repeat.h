// Declares the strategy `repeat`.
#pragma once

#include "search/strategies/strategy.h"

namespace warptune::search {

// Returns the strategy that tries again what earlier sessions tried.
StrategyEntry repeat_strategy();

}  // namespace warptune::search
