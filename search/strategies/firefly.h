#pragma once

#include "search/strategy.h"

namespace warptune {

// The firefly algorithm (Yang 2009): each flies towards a better one, the nearer the stronger, with a random part.
StrategyEntry firefly_strategy();

}  // namespace warptune
