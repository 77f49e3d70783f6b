// Sets clocks and power caps for the time of a session, and restores them however it ends.
//
// A process of its own, the keeper, changes the device and holds a pipe to the session's process. It restores the
// device when the pipe closes, and so also when the session is killed. If the keeper itself is killed, the session
// restores the device. A program without workers has no keeper and restores the device when it ends in order.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuner/device/backend_options.h"
#include "tuner/device/device_info.h"
#include "tuner/device/device_settings.h"
#include "tuner/measure/workers/program.h"

namespace warptune::tuner::workers {

// Holds one device at its settings. Destroying it restores the device.
class HeldSettings {
 public:
  virtual ~HeldSettings() = default;
};

// Applies the settings. Throws DeviceSettingsError if the device does not take them, NoDeviceError for a device without
// clocks to set.
std::unique_ptr<HeldSettings> hold_settings(const DeviceInfo& device, const DeviceSettings& settings,
                                            const BackendOptions& options, const std::optional<Program>& program);

// Runs the keeper. `words` are what hold_settings gives it. It sets the device, answers on stdout, waits until stdin
// ends, and restores the device. Returns an exit code.
int keep_settings(const std::vector<std::string>& words);

}  // namespace warptune::tuner::workers
