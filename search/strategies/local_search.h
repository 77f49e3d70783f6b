#pragma once

#include "search/strategies/strategy.h"

namespace warptune::search {

// Iterated local search (Lourenço, Martin, Stützle 2003): first-improvement descent over Hamming neighbours in random
// order; from a local optimum, a jump of a few parameters away from the best, or now and then to a uniform sample.
StrategyEntry local_search_strategy();

}  // namespace warptune::search
