// Computes what a Gaussian process believes of candidates.
#pragma once

#include <Eigen/Dense>
#include <vector>

#include "search/models/gaussian/covariance_kernel.h"
#include "search/models/gaussian/covariances.h"

namespace warptune::search {

// A Posterior is a Gaussian process' belief about a set of candidates, kept up to date trial by trial. The covariance
// of n observations is factored as L Lᵀ. The posterior holds V = L⁻¹ K for all N candidates and z = L⁻¹ y: the mean is
// Vᵀ z, and the variance falls by the square of each new row of V. So an observation costs O(N n), and a corrected
// value O(N). V is in single precision, because it is what takes memory and time.
class Posterior {
 public:
  explicit Posterior(CovarianceKernel kernel);
  // Makes this a new posterior, in the memory of the old one.
  void restart(CovarianceKernel kernel);

  Eigen::Index size() const { return count_; }
  const CovarianceKernel& kernel() const { return kernel_; }
  auto values() const { return values_.head(count_); }

  void append(const Eigen::RowVectorXf& row, double value, double extra_noise);
  // Has the effect of appending each row to an empty posterior, but in one factorisation, which takes a fraction of the
  // time. It forgets the candidates.
  void assign(const Eigen::MatrixXf& rows, const Eigen::VectorXd& values, const Eigen::VectorXd& extra_noise);
  // Sets the value of the observation with this number, in the order of `append`, as when a belief becomes a
  // measurement.
  void set_value(Eigen::Index observation, double value);
  void set_values(const Eigen::VectorXd& values);

  void set_candidates(Eigen::MatrixXf rows);

  // These functions return the mean and the variance of the candidates.
  const Eigen::ArrayXf& mean() const;
  const Eigen::ArrayXf& variance() const;
  // Returns the mean at any rows, in O(n) for each.
  Eigen::ArrayXf mean_at(const Eigen::MatrixXf& rows) const;

 private:
  // Makes V for all candidates.
  void explain();
  void clear();
  bool factorise(const Eigen::MatrixXf& rows, const Eigen::VectorXd& extra_noise);
  void reserve(Eigen::Index observations);
  void catch_up() const;
  void explain_appended(Eigen::Index observation, Eigen::Index first, Eigen::Index rows) const;
  void update_mean(Eigen::Index first, const Eigen::VectorXd& old);
  auto factor() const { return factor_.topLeftCorner(count_, count_).triangularView<Eigen::Lower>(); }

  CovarianceKernel kernel_;
  Covariances covariances_;  // those of kernel_
  Eigen::Index count_ = 0;
  Eigen::MatrixXf rows_;    // observed, n by columns
  Eigen::MatrixXd factor_;  // L
  Eigen::VectorXd values_, whitened_;
  Eigen::MatrixXf candidates_;
  // The following members are brought up to date with what was appended when they are asked for. Several observations
  // at once, as after a fit with many in flight, are then taken in while a part of V is in the cache.
  mutable Eigen::Index caught_up_ = 0;  // how many observations are taken in
  mutable Eigen::MatrixXf explained_;   // V transposed: N by n
  mutable Eigen::ArrayXf mean_, variance_;
};

}  // namespace warptune::search
