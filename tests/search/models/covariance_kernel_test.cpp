#include "search/models/gaussian/covariance_kernel.h"

#include <gtest/gtest.h>

#include <cmath>

#include "search/random.h"

namespace warptune::search {

namespace {

TEST(CovarianceKernel, IsMaternTimesExponentialOfDifferences) {
  CovarianceKernel kernel = prior_kernel({false, true});
  kernel.log_scale << std::log(0.5), std::log(0.3);
  kernel.log_signal = std::log(2);
  Eigen::MatrixXf points(2, 2);
  points << 0.0f, 0, 0.6f, 1;
  const double r = std::sqrt(5) * 0.6 / 0.5;
  const Eigen::ArrayXf covariance = kernel.with(points, points.row(0));
  EXPECT_NEAR(covariance(0), 4, 1e-6);
  EXPECT_NEAR(covariance(1), 4 * (1 + r + r * r / 3) * std::exp(-r) * std::exp(-0.3), 1e-5);
}

TEST(CovarianceKernel, LearnsWhichColumnsMatter) {
  Rng rng(3);
  constexpr Eigen::Index n = 60;
  Eigen::MatrixXf rows(n, 3);
  Eigen::VectorXd values(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    rows.row(i) << static_cast<float>(rng.uniform()), static_cast<float>(rng.uniform()),
        static_cast<float>(rng.below(2));
    values(i) = std::sin(9 * rows(i, 0));
  }
  const CovarianceKernel kernel =
      fit_kernel(rows, values, Eigen::VectorXd::Zero(n), prior_kernel({false, false, true}), 40);
  EXPECT_LT(kernel.log_scale(0), kernel.log_scale(1) - 0.7);
  EXPECT_LT(kernel.log_scale(2), prior_kernel({true}).log_scale(0)) << "a kind that makes no difference";
}

TEST(CovarianceKernel, LearnsHowNoisyMeasurementsAre) {
  Rng rng(3);
  constexpr Eigen::Index n = 80;
  Eigen::MatrixXf rows(n, 1);
  Eigen::VectorXd clean(n), noisy(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    rows(i, 0) = static_cast<float>(rng.uniform());
    clean(i) = 2 * rows(i, 0);
    noisy(i) = clean(i) + 0.5 * rng.normal();
  }
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(n);
  EXPECT_LT(fit_kernel(rows, clean, none, prior_kernel({false}), 40).log_noise + 1,
            fit_kernel(rows, noisy, none, prior_kernel({false}), 40).log_noise);
}

// Processors with wider registers take other paths; decisions must not depend on them.
TEST(CovarianceKernel, GivesThePointsOfALargeMatrixToTheBitWhatItGivesThemFourByFour) {
  Rng rng(4);
  CovarianceKernel kernel = prior_kernel({false, true, false});
  kernel.log_signal = 0.3;
  Eigen::MatrixXf points(76, 3);
  for (Eigen::Index i = 0; i < points.rows(); ++i)
    points.row(i) << static_cast<float>(9 * rng.uniform()), static_cast<float>(rng.below(2)),
        static_cast<float>(rng.uniform());
  points.row(5) = points.row(0);
  const Eigen::ArrayXf all = kernel.with(points, points.row(0));
  for (Eigen::Index i = 0; i < points.rows(); i += 4) {
    const Eigen::ArrayXf four = kernel.with(points.middleRows(i, 4), points.row(0));
    for (Eigen::Index k = 0; k < 4; ++k) EXPECT_EQ(all(i + k), four(k)) << "row " << i + k;
  }
}

}  // namespace

}  // namespace warptune::search
