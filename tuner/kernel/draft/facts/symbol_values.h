// Finds the values that a program copies into a variable of the device, where the source has them as numbers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuner/kernel/draft/facts/source_facts.h"

namespace warptune::tuner::draft {

// Returns the numbers of `float c[4] = {1, 2, 3, 4};` or `int it = 1000;` that the copy reads, as a manifest has them:
// flat, and as many as are written. It returns nothing for what code computes, or changes before the copy.
std::optional<std::vector<std::string>> copied_values(const SourceFacts& facts, const SymbolCopy& copy);

}  // namespace warptune::tuner::draft
