// Declares the strategy `spread`.
#pragma once

#include "search/strategies/strategy.h"

namespace warptune::search {

// Returns the strategy that tries a sample that covers the values of every parameter evenly (Latin-hypercube-like;
// McKay et al. 1979), then uniform samples.
StrategyEntry spread_strategy();

}  // namespace warptune::search
