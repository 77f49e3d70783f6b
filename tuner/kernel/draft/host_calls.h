// Functions of the host that launch are called by others, which say what their parameters are.
#pragma once

#include "tuner/kernel/draft/host_scope.h"

namespace warptune::tuner::draft {

// Variables as they are at a place in a function's body: those of the file, the function's parameters as its callers
// give them, and its own.
HostScope scope_at(const SourceFacts& facts, const SourceItem& function, std::size_t place);

}  // namespace warptune::tuner::draft
