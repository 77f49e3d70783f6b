#pragma once

#include "search/strategy.h"

namespace warptune {

// Particle swarm optimisation (Kennedy and Eberhart 1995) with constriction (Clerc and Kennedy 2002), on positions
// among values, without generations.
StrategyEntry particle_swarm_strategy();

}  // namespace warptune
