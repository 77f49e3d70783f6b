#pragma once

#include "search/strategy.h"

namespace warptune {

// Every valid configuration once, in the space's order: what small spaces and recordings want ("brute force").
StrategyEntry exhaustive_strategy();

}  // namespace warptune
