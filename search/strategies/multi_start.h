// Declares the strategy `multi_start`.
#pragma once

#include "search/strategies/strategy.h"

namespace warptune::search {

// Returns multi-start local search after clustering methods (Rinnooy Kan and Timmer 1987). It takes a spread sample,
// then descends from its best member, the second best, and so on; then from uniform samples.
StrategyEntry multi_start_strategy();

}  // namespace warptune::search
