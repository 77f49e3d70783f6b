// Declares the strategy `genetic`.
#pragma once

#include "search/strategies/strategy.h"

namespace warptune::search {

// Returns a steady-state genetic algorithm (Whitley 1989). It has tournaments, uniform crossover and mutation, and the
// child takes the place of the worst if it is better.
StrategyEntry genetic_strategy();

}  // namespace warptune::search
