// Computes isotonic regression, which finds the best-fitting curve that never rises.
#pragma once

#include <cstddef>
#include <vector>

#include "search/random.h"

namespace warptune::search::compare {

struct Point {
  double x = 0;
  double y = 0;
};

// Returns the values at the ascending places `grid` of the least-squares non-increasing fit to `points` (ascending in
// x, at least one). The fit is constant on the blocks that pool-adjacent-violators finds (Barlow et al. 1972), linear
// between blocks, and constant beyond the ends. Points with equal x count as their mean.
std::vector<double> decreasing_fit(const std::vector<Point>& points, const std::vector<double>& grid);

// Returns the mean of `estimators` such fits, each to a bootstrap sample of points.size() / sqrt(estimators) points.
std::vector<double> bagged_decreasing_fit(const std::vector<Point>& points, const std::vector<double>& grid,
                                          std::size_t estimators, Rng& rng);

}  // namespace warptune::search::compare
