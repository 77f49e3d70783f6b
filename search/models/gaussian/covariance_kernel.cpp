// Fits hyperparameters by the gradient of their log posterior.
#include "search/models/gaussian/covariance_kernel.h"

#include <algorithm>
#include <cmath>

#include "search/models/gaussian/covariances.h"

namespace warptune::search {

namespace {

constexpr double sqrt5 = 2.23606797749979;

// A Prior holds the mean and the standard deviation of a log-normal prior.
struct Prior {
  double mean, deviation;
};
constexpr Prior length_prior{-0.5, 0.7};
constexpr Prior weight_prior{-0.7, 0.8};
constexpr Prior signal_prior{0, 0.4};
constexpr Prior noise_prior{-4, 1.0};

// Returns the hyperparameters in one vector: those of the columns, the signal, the noise.
Eigen::ArrayXd packed(const CovarianceKernel& kernel) {
  Eigen::ArrayXd all(kernel.log_scale.size() + 2);
  all << kernel.log_scale, kernel.log_signal, kernel.log_noise;
  return all;
}

CovarianceKernel unpacked(CovarianceKernel kernel, const Eigen::ArrayXd& all) {
  kernel.log_scale = all.head(all.size() - 2);
  kernel.log_signal = all(all.size() - 2);
  kernel.log_noise = all(all.size() - 1);
  return kernel;
}

// Returns the inverse of a symmetric matrix, from its factor in the lower half. This takes a third of the time of
// solving for the identity, because only the half of a triangular matrix that is not zero is worked on, some columns at
// a time.
Eigen::MatrixXd inverse(const Eigen::MatrixXd& factor) {
  constexpr Eigen::Index together = 32;
  const Eigen::Index n = factor.rows();
  Eigen::MatrixXd root = Eigen::MatrixXd::Zero(n, n), result(n, n);  // root: the factor's inverse
  for (Eigen::Index c = 0; c < n; c += together) {
    auto columns = root.block(c, c, n - c, std::min(together, n - c));
    columns.setIdentity();
    factor.bottomRightCorner(n - c, n - c).triangularView<Eigen::Lower>().solveInPlace(columns);
  }
  for (Eigen::Index c = 0; c < n; c += together) {
    const Eigen::Index width = std::min(together, n - c);
    result.block(c, c, n - c, width).noalias() =
        root.bottomRightCorner(n - c, n - c).triangularView<Eigen::Lower>().transpose() *
        root.block(c, c, n - c, width);
  }
  result.triangularView<Eigen::StrictlyUpper>() = result.transpose();
  return result;
}

class Evidence {
 public:
  Evidence(const CovarianceKernel& kernel, const Eigen::MatrixXf& rows, const Eigen::VectorXd& values,
           const Eigen::VectorXd& extra_noise)
      : form_(kernel), values_(values), extra_noise_(extra_noise) {
    const Eigen::Index n = rows.rows();
    for (Eigen::Index c = 0; c < rows.cols(); ++c) {
      const Eigen::ArrayXd column = rows.col(c).cast<double>().array();
      Eigen::ArrayXXd difference = column.replicate(1, n) - column.transpose().replicate(n, 1);
      if (kernel.categorical[static_cast<std::size_t>(c)])
        differences_.push_back((difference != 0).cast<double>());
      else
        differences_.push_back(difference.square());
    }
  }

  // Computes the gradient of the log posterior. Returns false where the matrix is not positive definite to rounding.
  bool gradient(const Eigen::ArrayXd& at, Eigen::ArrayXd& result) const {
    const CovarianceKernel kernel = unpacked(form_, at);
    const Eigen::Index n = values_.size();
    Eigen::ArrayXXd distance = Eigen::ArrayXXd::Zero(n, n), differing = distance;
    for (std::size_t c = 0; c < differences_.size(); ++c) {
      const double log_scale = at(static_cast<Eigen::Index>(c));
      if (kernel.categorical[c])
        differing += std::exp(log_scale) * differences_[c];
      else
        distance += std::exp(-2 * log_scale) * differences_[c];
    }
    distance = sqrt5 * distance.sqrt();
    const Eigen::ArrayXXd decay = kernel.variance() * (-differing - distance).exp();
    const Eigen::ArrayXXd covariance = decay * (1 + distance + distance.square() / 3);
    const double noise = kernel.noise_variance();
    Eigen::MatrixXd noisy = covariance.matrix();
    noisy.diagonal() += (extra_noise_.array() + noise).matrix();
    const Eigen::LLT<Eigen::MatrixXd> factor(noisy);
    if (factor.info() != Eigen::Success) return false;
    const Eigen::VectorXd weights = factor.solve(values_);
    // Half the trace of this matrix times the covariance's derivative is the derivative of the log likelihood.
    const Eigen::ArrayXXd slope = (weights * weights.transpose() - inverse(factor.matrixLLT())).array();
    const Eigen::ArrayXXd ordinal = slope * decay * (1 + distance) * (5.0 / 3), categorical = slope * covariance;
    result.resize(at.size());
    for (std::size_t c = 0; c < differences_.size(); ++c) {
      const auto i = static_cast<Eigen::Index>(c);
      const bool is_categorical = kernel.categorical[c];
      result(i) = is_categorical ? -0.5 * std::exp(at(i)) * (categorical * differences_[c]).sum()
                                 : 0.5 * std::exp(-2 * at(i)) * (ordinal * differences_[c]).sum();
      add_prior(is_categorical ? weight_prior : length_prior, at(i), result(i));
    }
    result(at.size() - 2) = categorical.sum();
    result(at.size() - 1) = noise * slope.matrix().trace();
    add_prior(signal_prior, kernel.log_signal, result(at.size() - 2));
    add_prior(noise_prior, kernel.log_noise, result(at.size() - 1));
    return true;
  }

 private:
  static void add_prior(const Prior& prior, double at, double& slope) {
    slope -= (at - prior.mean) / (prior.deviation * prior.deviation);
  }

  CovarianceKernel form_;
  const Eigen::VectorXd& values_;
  const Eigen::VectorXd& extra_noise_;
  std::vector<Eigen::ArrayXXd> differences_;  // squared if ordinal, 0 or 1 if categorical
};

}  // namespace

Eigen::ArrayXf CovarianceKernel::with(const Eigen::Ref<const Eigen::MatrixXf>& points,
                                      const Eigen::RowVectorXf& row) const {
  return Covariances(*this).with(points, row);
}

CovarianceKernel prior_kernel(const std::vector<bool>& categorical) {
  CovarianceKernel kernel{categorical, Eigen::ArrayXd(static_cast<Eigen::Index>(categorical.size())), signal_prior.mean,
                          noise_prior.mean};
  for (std::size_t c = 0; c < categorical.size(); ++c)
    kernel.log_scale(static_cast<Eigen::Index>(c)) = (categorical[c] ? weight_prior : length_prior).mean;
  return kernel;
}

CovarianceKernel fit_kernel(const Eigen::MatrixXf& rows, const Eigen::VectorXd& values,
                            const Eigen::VectorXd& extra_noise, CovarianceKernel start, int iterations) {
  const Evidence evidence(start, rows, values, extra_noise);
  Eigen::ArrayXd at = packed(start), slope;
  Eigen::ArrayXd step = Eigen::ArrayXd::Constant(at.size(), 0.1), before = Eigen::ArrayXd::Zero(at.size());
  for (int i = 0; i < iterations && evidence.gradient(at, slope); ++i) {
    start = unpacked(start, at);
    for (Eigen::Index j = 0; j < at.size(); ++j) {
      const double turn = slope(j) * before(j);
      if (turn > 0) step(j) = std::min(step(j) * 1.2, 0.5);
      if (turn < 0) step(j) = std::max(step(j) * 0.5, 1e-3), slope(j) = 0;
      at(j) += step(j) * (slope(j) > 0 ? 1 : slope(j) < 0 ? -1 : 0);
    }
    before = slope;
  }
  return start;
}

}  // namespace warptune::search
