#pragma once

#include <string>
#include <vector>

#include "tuner/backends/backend.h"

namespace warptune {

// What is there and, for each backend without a device, why.
struct DeviceList {
  std::vector<DeviceInfo> devices;  // best first
  std::vector<std::string> absent;  // "cuda: libcuda.so.1 cannot be opened …"
};
DeviceList list_devices(const BackendOptions& options);

// By id ("cuda:0", "host"); the best there is for an empty one. Throws NoDeviceError that lists what is there and why
// the rest is not.
DeviceInfo choose_device(const std::string& id, const BackendOptions& options);

}  // namespace warptune
