// Reads a device's sensors without taking much time for it.
#pragma once

#include <chrono>
#include <string>

#include "tuner/device/backends/cuda/sensors/nvml.h"
#include "tuner/device/device.h"

namespace warptune::tuner::cuda {

// Reads a device's clock, power and temperature now and then. How long NVML takes to answer depends on the board and on
// virtualisation, from microseconds to milliseconds. So it is asked again only once twenty times as long has passed as
// the last answer took, and costs a twentieth of the time at most.
class Sensors {
 public:
  Sensors(const BackendOptions& options, const std::string& uuid) : nvml_(options), device_(nvml_, uuid) {}

  void refresh();
  const search::DeviceState& state() const { return state_; }
  std::optional<double> energy_j() const { return device_.energy_j(); }

 private:
  Nvml nvml_;
  NvmlDevice device_;
  search::DeviceState state_;
  double due_s_ = 0;
};

}  // namespace warptune::tuner::cuda
