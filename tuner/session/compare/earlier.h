// Collects what strategies may learn from other recordings before a repeat begins.
#pragma once

#include <vector>

#include "tuner/session/compare/comparison.h"

namespace warptune::tuner::compare {

// Returns what the request's earlier recordings tell about a space. `seed` decides which trials a session on each of
// them met. The space's own recording is left out.
std::vector<search::EarlierTrials> earlier_trials(const Request& request, const replay::Recording& space,
                                                  std::uint64_t seed);

}  // namespace warptune::tuner::compare
