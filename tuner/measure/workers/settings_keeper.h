// Clocks and power caps for the time of a session, put back whatever ends it.
//
// A process of its own, the keeper, changes the device, holds a pipe to the session's process, and puts the device back
// when the pipe closes: so also when the session is killed. Where the keeper itself was killed, the session does it. A
// program without workers has no keeper and puts the device back when it ends in order.
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

// One device with its settings; destroying it puts the device back.
class HeldSettings {
 public:
  virtual ~HeldSettings() = default;
};

// Throws DeviceSettingsError if the device does not take them, NoDeviceError for a device without clocks to set.
std::unique_ptr<HeldSettings> hold_settings(const DeviceInfo& device, const DeviceSettings& settings,
                                            const BackendOptions& options, const std::optional<Program>& program);

// The keeper: `words` are what hold_settings gives it. Sets, answers on stdout, waits until stdin ends, puts back.
// Returns an exit code.
int keep_settings(const std::vector<std::string>& words);

}  // namespace warptune::tuner::workers
