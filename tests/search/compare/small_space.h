// A space small enough to work out by hand.
#pragma once

#include "search/compare/scored_space.h"

namespace warptune::search::compare {

// Ids 0 … 8 have the objectives 1 … 9, id 9 failed; every evaluation costs 2 s. Optimum 1, median 5; random search
// needs 1 evaluation to the start and 3 to the end, so the grid is 2 s, 4 s, 6 s; a failure in ten makes 2.2 s an
// evaluation, so there random search has done 1, 2 and 3 of them and expects 4, 2 and 1.
inline ScoredSpace small_space() {
  std::vector<ScoredConfiguration> configurations;
  for (int i = 1; i <= 9; ++i) configurations.push_back({static_cast<double>(i), 2.0});
  configurations.push_back({std::nullopt, 2.0});
  return ScoredSpace(configurations, {0.01, 0.95, 3});
}

inline constexpr std::uint32_t failed_id = 9;

}  // namespace warptune::search::compare
