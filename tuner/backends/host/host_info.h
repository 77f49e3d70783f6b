#pragma once

#include <cstdint>

#include "tuner/device/device_info.h"

namespace warptune::tuner::host {

// This machine's processors as one device.
DeviceInfo host_info(int threads);

// As many as this process may run on at once.
int available_cores();

// Bytes that can be allocated now without swapping or meeting the control group's limit.
std::int64_t available_memory_bytes();

}  // namespace warptune::tuner::host
