#pragma once

#include "search/strategies/strategy.h"

namespace warptune::search {

// A sample that covers the values of every parameter evenly (Latin-hypercube-like; McKay et al. 1979), then uniform.
StrategyEntry spread_strategy();

}  // namespace warptune::search
