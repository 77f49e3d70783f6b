// Examines whether NVML answers, so that trials know clocks, temperature and energy.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tuner/device/backends/cuda/driver/device_query.h"
#include "tuner/device/backends/cuda/driver/driver.h"
#include "tuner/device/backends/cuda/examine/examinations.h"
#include "tuner/device/backends/cuda/sensors/nvml.h"
#include "tuner/device/device_error.h"

namespace warptune::tuner::cuda {

namespace {

std::vector<DeviceInfo> devices(const BackendOptions& options) {
  try {
    return query_devices(*load_driver(options), "");
  } catch (const NoDeviceError&) {
    return {};
  }
}

Finding examine(const DeviceInfo& info, const NvmlDevice& device, const std::string& version) {
  std::vector<std::string> missing;
  if (!device.clock_mhz()) missing.emplace_back("clock");
  if (!device.power_w()) missing.emplace_back("power");
  if (!device.temperature_c()) missing.emplace_back("temperature");
  if (!device.energy_j()) missing.emplace_back("energy");
  if (missing.empty())
    return {Health::ok,
            fmt::format("{}: {} tells clock, power, temperature and energy ({:.0f} MHz, {:.0f} W, {:.0f} C now)",
                        version, info.id, *device.clock_mhz(), *device.power_w(), *device.temperature_c()),
            ""};
  return {Health::warning, fmt::format("{}: {} does not tell its {}", version, info.id, fmt::join(missing, ", ")),
          missing.back() == "energy" ? "objectives of energy and of power cannot be used on this device"
                                     : "none: trials are kept without these figures"};
}

}  // namespace

std::vector<Finding> examine_sensors(const BackendOptions& options) {
  const Nvml nvml(options);
  const std::string version = nvml.driver_version();
  if (version.empty()) {
    if (!is_expected(options)) return {};
    return {{Health::warning, "libnvidia-ml.so.1 does not answer: trials have no clock, temperature and energy",
             "it comes with the driver (Debian: libnvidia-ml1); in a container, NVIDIA_DRIVER_CAPABILITIES must name "
             "utility"}};
  }
  std::vector<Finding> findings;
  for (const DeviceInfo& info : devices(options))
    findings.push_back(examine(info, NvmlDevice(nvml, info.uuid), version));
  return findings;
}

}  // namespace warptune::tuner::cuda
