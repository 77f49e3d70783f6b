#include "tuner/backends/cuda/sensors.h"

namespace warptune::tuner::cuda {

void Sensors::refresh() {
  const auto begin = Clock::now();
  if (begin < due_) return;
  state_ = {device_.clock_mhz(), device_.power_w(), device_.temperature_c()};
  const auto end = Clock::now();
  due_ = end + 20 * (end - begin);
}

}  // namespace warptune::tuner::cuda
