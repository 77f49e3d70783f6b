#pragma once

#include "tuner/device/device_info.h"

namespace warptune::tuner::host {

// This machine's processors as one device.
DeviceInfo host_info(int threads);

}  // namespace warptune::tuner::host
