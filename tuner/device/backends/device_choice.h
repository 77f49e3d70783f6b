#pragma once

#include <string>
#include <vector>

#include "tuner/device/backend.h"

namespace warptune::tuner {

// What is there and, for each backend without a device, why.
struct DeviceList {
  std::vector<DeviceInfo> devices;  // best first
  std::vector<std::string> absent;  // "cuda: libcuda.so.1 cannot be opened …"
};
DeviceList list_devices(const BackendOptions& options);

// The list's devices, and behind each the guises that it can be asked for in: "host:sm_90" is the host with the limits
// of that architecture. They are in no list, for they are no devices of their own.
std::vector<DeviceInfo> with_variants(const std::vector<DeviceInfo>& devices);
std::vector<DeviceInfo> variants_of(const DeviceInfo& device);

// Those that a text names: "cuda:0", "host" or "cuda" (the first of a backend), "host:sm_90", "cuda:all",
// "cuda:0,2" or "cuda:0,cuda:2"; the best there is for an empty text. Several must be of one model, for their times are
// compared. Throws NoDeviceError that lists what is there and why the rest is not.
std::vector<DeviceInfo> choose_devices(const DeviceList& list, const std::string& text);

// The first of them, looked for in this process.
DeviceInfo choose_device(const std::string& text, const BackendOptions& options);

}  // namespace warptune::tuner
