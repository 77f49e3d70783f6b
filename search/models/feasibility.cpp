// Weighs each observation by its covariance with the candidates under the prior kernel.
#include "search/models/feasibility.h"

#include <algorithm>

namespace warptune::search {

Feasibility::Feasibility(const std::vector<bool>& categorical) : kernel_(prior_kernel(categorical)) {}

void Feasibility::set_candidates(const Eigen::MatrixXf& rows, const History& history) {
  passed_ = tried_ = Eigen::ArrayXf::Ones(rows.rows());
  if (history.failed() == 0) return;
  // If there are many observations, an even choice of them is learnt, because the cost of each grows with the number of
  // candidates.
  constexpr std::size_t enough = 500;
  const std::size_t stride = std::max<std::size_t>(1, history.all().size() / enough);
  for (std::size_t i = 0; i < history.all().size(); i += stride)
    if (history.all()[i].state != Observation::State::pending) learn(rows, history.all()[i]);
}

void Feasibility::learn(const Eigen::MatrixXf& rows, const Observation& observation) {
  const Eigen::ArrayXf near = kernel_.with(rows, observation.row);
  tried_ += near;
  if (observation.state == Observation::State::correct) passed_ += near;
}

}  // namespace warptune::search
