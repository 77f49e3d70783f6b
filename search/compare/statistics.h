// Computes medians, deviations, and bootstrap errors (Efron 1979) over the repeats of a run.
#pragma once

#include <cstddef>
#include <vector>

#include "search/random.h"

namespace warptune::search::compare {

// Both functions return the median, which for an even number of values is the mean of the middle two. Infinities are
// allowed. There must be at least one value.
double median_of_sorted(const std::vector<double>& ascending);
double median(std::vector<double> values);

// Returns the root of the mean squared deviation (n - 1) of the finite values, or 0 for fewer than two of them.
double standard_deviation(const std::vector<double>& values);

// Returns the standard error of statistic(repeats) over `replicates` resamplings of 0 … repeats-1 with replacement.
// Replicates whose statistic is not finite are left out. The error is 0 if fewer than two remain.
template <class Statistic>
double bootstrap_error(std::size_t repeats, std::size_t replicates, Rng& rng, Statistic statistic) {
  std::vector<double> values;
  std::vector<std::size_t> drawn(repeats);
  for (std::size_t i = 0; i < replicates; ++i) {
    for (std::size_t& index : drawn) index = rng.below(repeats);
    values.push_back(statistic(drawn));
  }
  return standard_deviation(values);
}

}  // namespace warptune::search::compare
