#pragma once

#include "search/strategy.h"

namespace warptune {

// Uniform over the valid configurations, without repeats: the yardstick of every other strategy.
StrategyEntry random_strategy();

}  // namespace warptune
