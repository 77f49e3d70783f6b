#pragma once

#include "search/strategy.h"

namespace warptune {

// Bayesian optimisation.
StrategyEntry gaussian_process_strategy();

}  // namespace warptune
