// Declares the entries of the backend registry: how to find, open and compile for a kind of device.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/device/backend_options.h"
#include "tuner/device/compile/compiler.h"
#include "tuner/device/device.h"
#include "tuner/device/device_info.h"

namespace warptune::tuner {

struct BackendEntry {
  std::string_view name;
  // Returns the devices that can be opened now, best first. `why_none` gets a sentence if there are none.
  std::vector<DeviceInfo> (*devices)(const BackendOptions& options, std::string& why_none);
  // Opens the device. Throws NoDeviceError if it is not there.
  std::unique_ptr<Device> (*open)(const DeviceInfo& device, const BackendOptions& options);
  // Does not need the device to be present. Throws NoDeviceError if the compiler is not on this machine.
  std::unique_ptr<Compiler> (*compiler)(const DeviceInfo& device, const BackendOptions& options);
  // Returns the variants of the device that can be asked for by name ("host:sm_90"). Null means that the backend has
  // none. The device need not be open.
  std::vector<DeviceInfo> (*variants)(const DeviceInfo& device) = nullptr;
};

// Returns the backends, best first (tuner/device/backends/registry.cpp). `--device` takes the first device of the first
// backend that has one when the user says nothing.
const std::vector<BackendEntry>& backends();

}  // namespace warptune::tuner
