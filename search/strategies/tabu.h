#pragma once

#include "search/strategies/strategy.h"

namespace warptune::search {

// Tabu search (Glover 1989): to the best of a few neighbours, even a worse one, never back to recent places, except to
// the best of all.
StrategyEntry tabu_strategy();

}  // namespace warptune::search
