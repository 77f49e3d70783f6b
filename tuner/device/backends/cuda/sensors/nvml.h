// Opens NVIDIA's management library (NVML) at run time if it is there, and reads a device's sensors with it. It comes
// with the driver.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "tuner/device/backend.h"
#include "tuner/device/device.h"

namespace warptune::tuner::cuda {

struct NvmlFunctions;

// Keeps NVML initialised for as long as it lives; NVML counts its users. Without the library, or one of its functions,
// the answers are empty.
class Nvml {
 public:
  explicit Nvml(const BackendOptions& options);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  // Returns the driver's own version ("580.159.04"), which libcuda does not tell. The text is empty without NVML.
  std::string driver_version() const;

 private:
  friend class NvmlDevice;
  std::unique_ptr<NvmlFunctions> functions_;
};

// Asks NVML about one device, by the UUID that libcuda gives it.
class NvmlDevice {
 public:
  NvmlDevice(const Nvml& nvml, const std::string& uuid);

  std::optional<double> clock_mhz() const;  // of the multiprocessors, now
  std::optional<double> power_w() const;    // the latest of the board's own samples
  std::optional<double> temperature_c() const;
  std::optional<double> energy_j() const;  // since the driver was loaded
  std::optional<double> power_limit_w() const;
  std::optional<bool> ecc() const;

 private:
  const NvmlFunctions& functions_;
  void* handle_ = nullptr;
};

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
