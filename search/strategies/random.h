#pragma once

#include "search/strategies/strategy.h"

namespace warptune::search {

// Uniform over the valid configurations, without repeats: the yardstick of every other strategy.
StrategyEntry random_strategy();

}  // namespace warptune::search
