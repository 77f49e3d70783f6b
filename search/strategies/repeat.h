#pragma once

#include "search/strategies/strategy.h"

namespace warptune::search {

// What earlier sessions tried, once more.
StrategyEntry repeat_strategy();

}  // namespace warptune::search
