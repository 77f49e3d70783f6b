// Describes this machine's processors.
#pragma once

#include "tuner/device/device_info.h"

namespace warptune::tuner::host {

// Returns this machine's processors as one device with `threads` multiprocessors; 0 means as many as there are cores.
DeviceInfo host_info(int threads);

}  // namespace warptune::tuner::host
