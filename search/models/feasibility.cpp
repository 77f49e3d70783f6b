#include "search/models/feasibility.h"

namespace warptune::search {

Feasibility::Feasibility(const std::vector<bool>& categorical) : kernel_(prior_kernel(categorical)) {}

void Feasibility::set_candidates(const Eigen::MatrixXf& rows, const History& history) {
  passed_ = tried_ = Eigen::ArrayXf::Ones(rows.rows());
  if (history.failed() == 0) return;
  for (const Observation& observation : history.all())
    if (observation.state != Observation::State::pending) learn(rows, observation);
}

void Feasibility::learn(const Eigen::MatrixXf& rows, const Observation& observation) {
  const Eigen::ArrayXf near = kernel_.with(rows, observation.row);
  tried_ += near;
  if (observation.state == Observation::State::correct) passed_ += near;
}

}  // namespace warptune::search
