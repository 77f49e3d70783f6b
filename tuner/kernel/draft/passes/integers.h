// Finds what the integers of a source are used for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuner/kernel/draft/passes/work.h"

namespace warptune::tuner::draft {

// Returns what an integer is used for. Its name decides, or what the indices make of it where they say more.
Use use_of_integer(const Work& work, const NamedInteger& integer);

// Returns the use of NAME in an index such as blockIdx.x * NAME + threadIdx.y, where it is what a block covers,
// whatever it is called. Along the threads' own axis it is the number of threads. There it can also be the length of a
// row, unless the index has a bound of its own.
std::optional<Use> covered_by_blocks(const std::vector<Site>& sites, const std::string& name);

// Returns whether the name is the second argument of __launch_bounds__(THREADS, NAME).
bool is_min_blocks(const std::vector<Site>& sites, const std::string& name);

// Returns whether the text of the kernels, or of what they may call, has the name.
bool used_on_device(const SourceFacts& facts, const std::vector<Site>& sites, const std::string& name, int depth = 8);

// Returns the expression with what macros and constants of the source stand for in their place.
CExpression without_derived(const SourceFacts& facts, const CExpression& expression, int depth = 8);

// Returns the product without the factors that say how many elements a thread takes.
CExpression without_per_thread(const SourceFacts& facts, const Site& site, const CExpression& product);

}  // namespace warptune::tuner::draft
