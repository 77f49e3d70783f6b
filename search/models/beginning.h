#pragma once

#include <Eigen/Dense>
#include <vector>

#include "search/random.h"

namespace warptune::search {

// Places of up to n rows among the `share` of them with the smallest penalty: the one nearest to their middle, then
// always the one farthest from those chosen (maximin; Johnson, Moore and Ylvisaker 1990). Corners of the space are
// where launches are extreme, so the middle comes first.
std::vector<std::size_t> plausible_spread(const Eigen::MatrixXf& rows, const Eigen::ArrayXf& penalties, double share,
                                          std::size_t n, Rng& rng);

}  // namespace warptune::search
