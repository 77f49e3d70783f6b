// Estimates how likely candidates are to run at all.
#pragma once

#include <Eigen/Dense>
#include <vector>

#include "search/models/gaussian/covariance_kernel.h"
#include "search/models/history.h"

namespace warptune::search {

// Feasibility estimates how likely candidates are to run at all. This is the share of correct ones among the
// observations, weighted by nearness, with one imagined success. A failure says something about its surroundings and
// nothing about times.
class Feasibility {
 public:
  explicit Feasibility(const std::vector<bool>& categorical);

  // Makes `rows` the candidates, and learns from everything known.
  void set_candidates(const Eigen::MatrixXf& rows, const History& history);
  void learn(const Eigen::MatrixXf& rows, const Observation& observation);

  // Returns a probability for each candidate, 0 to 1.
  Eigen::ArrayXf probability() const { return passed_ / tried_; }

 private:
  CovarianceKernel kernel_;
  Eigen::ArrayXf passed_, tried_;
};

}  // namespace warptune::search
