// Asks the driver about the devices of this machine.
#pragma once

#include <string>
#include <vector>

#include "tuner/device/backends/cuda/driver/driver.h"
#include "tuner/device/device_info.h"

namespace warptune::tuner::cuda {

// Returns the devices in the driver's order, with the ids cuda:0, cuda:1 … `driver_version` is what DeviceInfo::driver
// says. Throws NoDeviceError.
std::vector<DeviceInfo> query_devices(const Driver& driver, const std::string& driver_version);

// Returns a UUID as nvidia-smi prints it: "GPU-5f2d…".
std::string uuid_text(const CUuuid& uuid);

}  // namespace warptune::tuner::cuda
