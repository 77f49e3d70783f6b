// Declares the strategy `local_search`.
#pragma once

#include "search/strategies/strategy.h"

namespace warptune::search {

// Returns iterated local search (Lourenço, Martin, Stützle 2003), which is a first-improvement descent over Hamming
// neighbours in random order. From a local optimum it jumps a few parameters away from the best, or now and then to a
// uniform sample.
StrategyEntry local_search_strategy();

}  // namespace warptune::search
