// Medians, and the bootstrap (Efron 1979) over the repeats of a run.
#pragma once

#include <cstddef>
#include <vector>

#include "search/random.h"

namespace warptune::search::compare {

// Mean of the middle two for an even number; infinities are allowed. Neither may be empty.
double median_of_sorted(const std::vector<double>& ascending);
double median(std::vector<double> values);

// Root of the mean squared deviation (n - 1); 0 for fewer than two values.
double standard_deviation(const std::vector<double>& values);

// Standard error of statistic(repeats) over `replicates` resamplings of 0 … repeats-1 with replacement. Replicates
// whose statistic is not finite are left out, as is the whole error (0) if fewer than two remain.
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
