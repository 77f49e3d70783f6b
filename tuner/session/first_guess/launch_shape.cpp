// Evaluates the grids, blocks and shared memory of a configuration's launches.
#include "tuner/session/first_guess/launch_shape.h"

#include <algorithm>

#include "tuner/kernel/problem.h"

namespace warptune::tuner {

LaunchShapes::LaunchShapes(const KernelTemplate& kernel, const search::NamedValues& constants,
                           const search::SearchSpace& space)
    : scope_(space) {
  const search::NamedValues known = at_first_pass(constants);
  for (const Launch& launch : kernel.launches) {
    if (!launch.is_kernel()) continue;
    for (const auto& dimension : launch.grid) scope_.note(dimension, known);
    for (const auto& dimension : launch.block) scope_.note(dimension, known);
    scope_.note(launch.shared_bytes, known);
    scope_.note(launch.repeat, known);
    if (launch.when) scope_.note(*launch.when, known);
    launches_.push_back(launch);
  }
}

LaunchShape LaunchShapes::of(const search::Configuration& configuration) const {
  const auto product = [&](const std::array<search::Expression, 3>& dimensions) {
    double result = 1;
    for (const auto& dimension : dimensions) result *= scope_.number(dimension, configuration);
    return result;
  };
  LaunchShape shape;
  double most = 0;
  for (const Launch& launch : launches_) {
    if (launch.when && !search::truth(scope_.value(*launch.when, configuration))) continue;
    const double times = std::max(0.0, scope_.number(launch.repeat, configuration));
    shape.launches += times;
    shape.clears += times * static_cast<double>(launch.clear.size());
    const double blocks = product(launch.grid), threads = product(launch.block);
    if (blocks * threads <= most) continue;
    most = blocks * threads;
    shape.blocks = std::max(1.0, blocks);
    shape.threads = std::max(1.0, threads);
    shape.shared_bytes = std::max(0.0, scope_.number(launch.shared_bytes, configuration));
  }
  return shape;
}

}  // namespace warptune::tuner
