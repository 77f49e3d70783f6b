// Chooses the configurations that a search begins with.
#pragma once

#include <Eigen/Dense>
#include <vector>

#include "search/random.h"

namespace warptune::search {

// Returns the places of up to n rows among the `share` of them with the smallest penalty. The first is the one nearest
// to their middle; each further one is the one farthest from those chosen (maximin; Johnson, Moore and Ylvisaker 1990).
// The middle comes first because launches are extreme in the corners of the space.
std::vector<std::size_t> plausible_spread(const Eigen::MatrixXf& rows, const Eigen::ArrayXf& penalties, double share,
                                          std::size_t n, Rng& rng);

}  // namespace warptune::search
