// Declares the strategy `gaussian_process`.
#pragma once

#include "search/strategies/strategy.h"

namespace warptune::search {

// Returns Bayesian optimisation with a Gaussian process.
StrategyEntry gaussian_process_strategy();

}  // namespace warptune::search
