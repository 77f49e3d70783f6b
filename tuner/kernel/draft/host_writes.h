// Finds the variables of the host that a call may write to.
#pragma once

#include <vector>

#include "tuner/kernel/draft/source_facts.h"

namespace warptune::tuner::draft {

struct WrittenArgument {
  std::size_t place = 0, position = 0;  // the variable's index among the body's tokens, and among the arguments
};

// Returns what the call whose function is at `at` may write to: &n, and n where one of the source's own functions takes
// a reference. What is known to be only read, as by printf and as the source of a copy, is left out.
std::vector<WrittenArgument> arguments_written_by(const SourceFacts& facts, TokenSpan body, std::size_t at);

}  // namespace warptune::tuner::draft
