#pragma once

#include "search/strategies/strategy.h"

namespace warptune::search {

// Basin hopping (Wales and Doye 1997): a random walk over local optima, each jump accepted by the Metropolis rule.
StrategyEntry basin_hopping_strategy();

}  // namespace warptune::search
