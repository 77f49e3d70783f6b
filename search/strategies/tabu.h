// Declares the strategy `tabu`.
#pragma once

#include "search/strategies/strategy.h"

namespace warptune::search {

// Returns tabu search (Glover 1989). It moves to the best of a few neighbours, even a worse one, and never back to
// recent places, except to the best of all.
StrategyEntry tabu_strategy();

}  // namespace warptune::search
