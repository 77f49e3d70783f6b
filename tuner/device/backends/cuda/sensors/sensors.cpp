// Asks NVML again when it is due.
#include "tuner/device/backends/cuda/sensors/sensors.h"

#include "tuner/system/clock.h"

namespace warptune::tuner::cuda {

void Sensors::refresh() {
  const double begin_s = steady_s();
  if (begin_s < due_s_) return;
  state_ = {device_.clock_mhz(), device_.power_w(), device_.temperature_c()};
  const double end_s = steady_s();
  due_s_ = end_s + 20 * (end_s - begin_s);
}

}  // namespace warptune::tuner::cuda
