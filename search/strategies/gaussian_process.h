#pragma once

#include "search/strategies/strategy.h"

namespace warptune::search {

// Bayesian optimisation.
StrategyEntry gaussian_process_strategy();

}  // namespace warptune::search
