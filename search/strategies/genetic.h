#pragma once

#include "search/strategy.h"

namespace warptune {

// A steady-state genetic algorithm (Whitley 1989): tournaments, uniform crossover, mutation, and the child takes the
// place of the worst if it is better.
StrategyEntry genetic_strategy();

}  // namespace warptune
