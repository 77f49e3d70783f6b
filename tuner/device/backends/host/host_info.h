// Describes this machine's processors as a device, with limits of their own or with those of a GPU ("host:sm_90").
#pragma once

#include <vector>

#include "tuner/device/device_info.h"

namespace warptune::tuner::host {

// Returns this machine's processors as one device with `threads` multiprocessors; 0 means as many as there are cores.
DeviceInfo host_info(int threads);

// Returns the same processors with each architecture's limits, oldest first. Their names say so, as sessions, cached
// code and winners are kept by the device's name.
std::vector<DeviceInfo> as_architectures(const DeviceInfo& host);

}  // namespace warptune::tuner::host
