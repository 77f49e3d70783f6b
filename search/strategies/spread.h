#pragma once

#include "search/strategy.h"

namespace warptune {

// A sample that covers the values of every parameter evenly (Latin-hypercube-like; McKay et al. 1979), then uniform.
StrategyEntry spread_strategy();

}  // namespace warptune
