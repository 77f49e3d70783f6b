#pragma once

#include "search/strategy.h"

namespace warptune {

// Tabu search (Glover 1989): to the best of a few neighbours, even a worse one, without undoing a recent change.
StrategyEntry tabu_strategy();

}  // namespace warptune
