// Finds the variables of a kernel that are compared with anything. A variable that is not may run past a buffer's end.
#pragma once

#include <set>
#include <string>

#include "tuner/kernel/source/source_outline.h"

namespace warptune::tuner::draft {

// Returns the names on either side of <, >, == or !=, and in the arguments of minima and maxima. "blockIdx.x" is one
// name. What stands in brackets does not count: x[i] > 0 says nothing about i.
std::set<std::string> compared_names(TokenSpan body);

}  // namespace warptune::tuner::draft
