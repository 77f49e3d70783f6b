#pragma once

#include <Eigen/Dense>
#include <vector>

#include "search/models/covariance_kernel.h"
#include "search/models/history.h"

namespace warptune::search {

// How likely candidates are to run at all: the share of correct ones among the observations, weighted by nearness, with
// one imagined success. A failure says something about its surroundings and nothing about times.
class Feasibility {
 public:
  explicit Feasibility(const std::vector<bool>& categorical);

  // Of `rows`, from everything known.
  void set_candidates(const Eigen::MatrixXf& rows, const History& history);
  void learn(const Eigen::MatrixXf& rows, const Observation& observation);

  // 0 to 1, a candidate.
  Eigen::ArrayXf probability() const { return passed_ / tried_; }

 private:
  CovarianceKernel kernel_;
  Eigen::ArrayXf passed_, tried_;
};

}  // namespace warptune::search
