// Reads what a function of the host says before a place in its body.
#pragma once

#include "tuner/kernel/draft/host_scope.h"

namespace warptune::tuner::draft {

// Adds to `scope` the variables as they are at `place`, and the allocations and copies of the whole body.
void read_host_code(const SourceFacts& facts, TokenSpan body, std::size_t place, HostScope& scope);

}  // namespace warptune::tuner::draft
