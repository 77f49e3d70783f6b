#pragma once

#include <Eigen/Dense>
#include <string_view>

namespace warptune::search {

// What makes a candidate worth a trial.
enum class Acquisition {
  improvement,  // the expected improvement (Mockus 1978; Jones, Schonlau, Welch 1998)
  probability,  // the probability of an improvement (Kushner 1964)
  bound,        // the improvement at the lower confidence bound, 1.5 deviations below the mean (Srinivas et al. 2010)
};

// Throws std::invalid_argument that names the known ones.
Acquisition acquisition_from(std::string_view name);

// Never negative; one a candidate, from its mean, variance and the value to beat, smaller being better.
Eigen::ArrayXf acquisition(Acquisition kind, const Eigen::ArrayXf& mean, const Eigen::ArrayXf& variance, float best);

}  // namespace warptune::search
