#pragma once

#include "search/strategies/strategy.h"

namespace warptune::search {

// Every valid configuration once, in the space's order: what small spaces and recordings want ("brute force").
StrategyEntry exhaustive_strategy();

}  // namespace warptune::search
