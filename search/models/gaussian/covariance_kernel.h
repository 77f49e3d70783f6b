// Defines the covariance of a Gaussian process over encoded configurations, and fits its hyperparameters.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <vector>

namespace warptune::search {

// The covariance is signal² · Matérn 5/2(distance over ordinal columns) · exp(-weights of the categorical columns that
// differ), after Rasmussen and Williams 2006, and Hutter et al. 2011 for the categorical part. All hyperparameters are
// logarithms, so that any value is legal.
struct CovarianceKernel {
  std::vector<bool> categorical;
  Eigen::ArrayXd log_scale;  // by column: length scale if ordinal, weight if categorical
  double log_signal = 0;     // standard deviation
  double log_noise = -3;     // standard deviation of a measurement

  double variance() const { return std::exp(2 * log_signal); }
  // Returns the variance of a measurement. It is never so small that covariances in single precision are no longer
  // positive definite.
  double noise_variance() const { return std::max(std::exp(2 * log_noise), 2e-5 * variance()); }

  // Returns the covariances of one row with each of `points`.
  Eigen::ArrayXf with(const Eigen::Ref<const Eigen::MatrixXf>& points, const Eigen::RowVectorXf& row) const;
};

// Returns the kernel that is believed before any trial: each parameter matters over about half its range.
CovarianceKernel prior_kernel(const std::vector<bool>& categorical);

// Returns the most probable kernel for `values` (standardised) at `rows`. It maximises the marginal likelihood times a
// log-normal prior on every hyperparameter, by iRprop- (Igel and Hüsken 2003; for Gaussian processes, Blum and
// Riedmiller 2013) from `start`. `extra_noise` is a variance for each value. An iteration takes O(n³).
CovarianceKernel fit_kernel(const Eigen::MatrixXf& rows, const Eigen::VectorXd& values,
                            const Eigen::VectorXd& extra_noise, CovarianceKernel start, int iterations);

}  // namespace warptune::search
