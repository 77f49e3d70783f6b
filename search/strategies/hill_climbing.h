#pragma once

#include "search/strategies/strategy.h"

namespace warptune::search {

// Hill climbing with random restarts (Russell and Norvig, "Artificial Intelligence", chapter 4): to the first or the
// best better neighbour until there is none, then again from a uniform sample.
StrategyEntry hill_climbing_strategy();

}  // namespace warptune::search
