// Declares the strategy `firefly`.
#pragma once

#include "search/strategies/strategy.h"

namespace warptune::search {

// Returns the firefly algorithm (Yang 2009): each flies towards a better one, the nearer the stronger, with a random
// part.
StrategyEntry firefly_strategy();

}  // namespace warptune::search
