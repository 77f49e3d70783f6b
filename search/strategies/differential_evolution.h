#pragma once

#include "search/strategy.h"

namespace warptune {

// Differential evolution (Storn and Price 1997), current-to-best/1/bin, on positions among values, without generations.
StrategyEntry differential_evolution_strategy();

}  // namespace warptune
