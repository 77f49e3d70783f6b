#pragma once

#include "search/strategies/strategy.h"

namespace warptune::search {

// A steady-state genetic algorithm (Whitley 1989): tournaments, uniform crossover, mutation, and the child takes the
// place of the worst if it is better.
StrategyEntry genetic_strategy();

}  // namespace warptune::search
