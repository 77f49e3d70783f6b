#include "tuner/device_choice.h"

#include <fmt/format.h>

namespace warptune {

DeviceList list_devices(const BackendOptions& options) {
  DeviceList list;
  for (const BackendEntry& backend : backends()) {
    std::string why_none;
    auto found = backend.devices(options, why_none);
    if (found.empty()) list.absent.push_back(fmt::format("{}: {}", backend.name, why_none));
    for (auto& device : found) list.devices.push_back(std::move(device));
  }
  return list;
}

DeviceInfo choose_device(const std::string& id, const BackendOptions& options) {
  const DeviceList list = list_devices(options);
  if (id.empty() && !list.devices.empty()) return list.devices.front();
  for (const DeviceInfo& device : list.devices)
    if (device.id == id || (device.backend == id && id.find(':') == std::string::npos)) return device;
  std::string message = id.empty() ? "no device to tune on." : fmt::format("there is no device '{}'.", id);
  if (!list.devices.empty()) message += " There are:";
  for (const DeviceInfo& device : list.devices) message += fmt::format(" {} ({})", device.id, device.name);
  for (const std::string& reason : list.absent) message += fmt::format("\n  {}", reason);
  throw NoDeviceError(message);
}

}  // namespace warptune
