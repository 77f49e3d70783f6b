#pragma once

#include "search/strategies/strategy.h"

namespace warptune::search {

// Multi-start local search after clustering methods (Rinnooy Kan and Timmer 1987): a spread sample, then a descent from
// its best member, the second best, and so on; then from uniform samples.
StrategyEntry multi_start_strategy();

}  // namespace warptune::search
