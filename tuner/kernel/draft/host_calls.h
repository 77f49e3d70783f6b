// Finds the variables of a function of the host that launches. The functions that call it say what its parameters are.
#pragma once

#include "tuner/kernel/draft/host_scope.h"

namespace warptune::tuner::draft {

// Returns the variables as they are at a place in a function's body: those of the file, the function's parameters as
// its callers give them, and its own.
HostScope scope_at(const SourceFacts& facts, const SourceItem& function, std::size_t place);

}  // namespace warptune::tuner::draft
