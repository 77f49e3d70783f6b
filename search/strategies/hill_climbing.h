// Declares the strategy `hill_climbing`.
#pragma once

#include "search/strategies/strategy.h"

namespace warptune::search {

// Returns hill climbing with random restarts (Russell and Norvig, "Artificial Intelligence", chapter 4). It moves to
// the first or the best better neighbour until there is none, then begins again from a uniform sample.
StrategyEntry hill_climbing_strategy();

}  // namespace warptune::search
