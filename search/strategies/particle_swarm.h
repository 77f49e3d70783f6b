// Declares the strategy `particle_swarm`.
#pragma once

#include "search/strategies/strategy.h"

namespace warptune::search {

// Returns particle swarm optimisation (Kennedy and Eberhart 1995) with constriction (Clerc and Kennedy 2002), on
// positions among values, without generations.
StrategyEntry particle_swarm_strategy();

}  // namespace warptune::search
