// What every strategy is wrapped in: the promises of Strategy's callers, checked. A strategy may then rely on them;
// each checking for itself was rejected, because twenty would do it in twenty ways.
#pragma once

#include <memory>

#include "search/strategies/strategy.h"

namespace warptune::search {

// The space must outlive the result.
std::unique_ptr<Strategy> checked(std::unique_ptr<Strategy> strategy, const SearchSpace& space);

}  // namespace warptune::search
