// Wraps every strategy in checks of what Strategy's callers promise. A strategy may then rely on the promises.
// Rejected: each strategy checks for itself, because twenty would do it in twenty ways.
#pragma once

#include <memory>

#include "search/strategies/strategy.h"

namespace warptune::search {

// The space must outlive the result.
std::unique_ptr<Strategy> checked(std::unique_ptr<Strategy> strategy, const SearchSpace& space);

}  // namespace warptune::search
