// Declares the strategy `annealing`.
#pragma once

#include "search/strategies/strategy.h"

namespace warptune::search {

// Returns simulated annealing (Kirkpatrick et al. 1983) over relative differences, so that one temperature suits every
// kernel. It is reheated from the best when it has frozen.
StrategyEntry annealing_strategy();

}  // namespace warptune::search
