// Rates what a trial of each candidate promises, by a model's mean and variance.
#pragma once

#include <Eigen/Dense>
#include <cstddef>
#include <string_view>

namespace warptune::search {

// An Acquisition says what makes a candidate worth a trial.
enum class Acquisition {
  improvement,  // the expected improvement (Mockus 1978; Jones, Schonlau, Welch 1998)
  probability,  // the probability of an improvement (Kushner 1964)
  bound,        // the improvement at the lower confidence bound, 1.5 deviations below the mean (Srinivas et al. 2010)
};

// Returns the acquisition with this name. Throws std::invalid_argument that names the known ones if there is none.
Acquisition acquisition_from(std::string_view name);

// Returns one value for each candidate, from its mean, its variance and the value to beat, smaller being better. Values
// are never negative.
Eigen::ArrayXf acquisition(Acquisition kind, const Eigen::ArrayXf& mean, const Eigen::ArrayXf& variance, float best);

// Returns the factor by which a model's variance is too small while trials are in flight, since these count as measured
// where they were expected. `settled` are the trials that were measured.
float variance_factor(std::size_t pending, std::size_t settled);

}  // namespace warptune::search
