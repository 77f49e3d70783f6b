// Finds the names that a function declares for itself.
#pragma once

#include <set>
#include <string>

#include "tuner/kernel/source/source_outline.h"

namespace warptune::tuner::draft {

// Returns the names of the parameters, and of the variables that the body declares where it first has them:
// int n = …, *p, k;
std::set<std::string> declared_names(TokenSpan parameters, TokenSpan body);

}  // namespace warptune::tuner::draft
