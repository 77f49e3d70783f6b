// Lists this machine's devices, and chooses those that a text names.
#pragma once

#include <string>
#include <vector>

#include "tuner/device/backend.h"

namespace warptune::tuner {

// Lists the devices that are there and, for each backend without a device, why it has none.
struct DeviceList {
  std::vector<DeviceInfo> devices;  // best first
  std::vector<std::string> absent;  // "cuda: libcuda.so.1 cannot be opened …"
};
DeviceList list_devices(const BackendOptions& options);

// Returns the devices, each followed by its variants: "host:sm_90" is the host with the limits of that architecture.
// Variants are not in a DeviceList, because they are no devices of their own.
std::vector<DeviceInfo> with_variants(const std::vector<DeviceInfo>& devices);
std::vector<DeviceInfo> variants_of(const DeviceInfo& device);

// Returns the devices that a text names: "cuda:0", "host" or "cuda" (the first of a backend), "host:sm_90", "cuda:all",
// "cuda:0,2" or "cuda:0,cuda:2". An empty text means the best one. Several devices must be of one model, because their
// times are compared. Throws a NoDeviceError that lists what is there and says why the rest is not.
std::vector<DeviceInfo> choose_devices(const DeviceList& list, const std::string& text);

// Returns the first device that the text names. It looks for devices in this process.
DeviceInfo choose_device(const std::string& text, const BackendOptions& options);

}  // namespace warptune::tuner
