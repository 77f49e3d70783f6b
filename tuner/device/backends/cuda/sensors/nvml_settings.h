// Changes a device's clock and power cap through NVML, and puts them back. Only the user's own words ask for it,
// because it changes the device for everybody on the machine.
#pragma once

#include <memory>
#include <string>

#include "tuner/device/backend_options.h"
#include "tuner/device/device_settings.h"

namespace warptune::tuner::cuda {

struct NvmlSetters;

// Sets the clock and the power cap of one device. Without permission NVML answers NVML_ERROR_NO_PERMISSION: only root
// may change a device, unless an administrator allowed it (nvidia-smi -acp UNRESTRICTED lets users set application
// clocks only).
class NvmlSettings {
 public:
  // Throws NoDeviceError where there is no NVML, or no such device.
  NvmlSettings(const BackendOptions& options, const std::string& uuid, std::string label);
  ~NvmlSettings();
  NvmlSettings(const NvmlSettings&) = delete;
  NvmlSettings& operator=(const NvmlSettings&) = delete;

  // Locks the graphics clock and sets the power cap, both or nothing. Returns what restore() needs. Throws a
  // DeviceSettingsError that names what was attempted, on what, NVML's code, and what to do.
  ChangedSettings apply(const DeviceSettings& wanted);
  // Puts back what was changed. Throws DeviceSettingsError after it tried everything. Clocks are left unlocked,
  // whatever they were before: NVML does not tell whether they were locked.
  void restore(const ChangedSettings& changed);

 private:
  void check(int result, const std::string& attempted) const;
  void require_power_in_range(int watts) const;

  std::unique_ptr<NvmlSetters> functions_;
  void* device_ = nullptr;
  std::string label_;
};

}  // namespace warptune::tuner::cuda
