#pragma once

#include <Eigen/Dense>
#include <vector>

#include "search/models/covariance_kernel.h"
#include "search/models/covariances.h"

namespace warptune::search {

// A Gaussian process' belief about a set of candidates, kept up to date trial by trial. With the covariance of n
// observations factored as L Lᵀ, it holds V = L⁻¹ K for all N candidates and z = L⁻¹ y: the mean is Vᵀ z, and the
// variance falls by the square of each new row of V. So an observation costs O(N n), and a corrected value O(N).
// V is in single precision: it is what takes memory and time.
class Posterior {
 public:
  explicit Posterior(CovarianceKernel kernel);
  // As a new one, in the memory of the old.
  void restart(CovarianceKernel kernel);

  Eigen::Index size() const { return count_; }
  const CovarianceKernel& kernel() const { return kernel_; }
  auto values() const { return values_.head(count_); }

  void append(const Eigen::RowVectorXf& row, double value, double extra_noise);
  // As appending each to none, but in one factorisation, which takes a fraction of the time. Forgets the candidates.
  void assign(const Eigen::MatrixXf& rows, const Eigen::VectorXd& values, const Eigen::VectorXd& extra_noise);
  // Of the observation with this number, in the order of `append`: a belief becomes a measurement.
  void set_value(Eigen::Index observation, double value);
  void set_values(const Eigen::VectorXd& values);

  void set_candidates(Eigen::MatrixXf rows);

  // Of the candidates.
  const Eigen::ArrayXf& mean() const;
  const Eigen::ArrayXf& variance() const;
  // Of any rows, O(n) each.
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
  Covariances covariances_;  // its
  Eigen::Index count_ = 0;
  Eigen::MatrixXf rows_;    // observed, n by columns
  Eigen::MatrixXd factor_;  // L
  Eigen::VectorXd values_, whitened_;
  Eigen::MatrixXf candidates_;
  // Made of what was appended when somebody wants to know: of several at once, as after a fit with many in flight, they
  // are made while a part of V is at hand.
  mutable Eigen::Index caught_up_ = 0;  // observations
  mutable Eigen::MatrixXf explained_;   // V transposed: N by n
  mutable Eigen::ArrayXf mean_, variance_;
};

}  // namespace warptune::search
