// Reads the texts that name devices, and writes the message for a text that names none.
#include "tuner/device/backends/device_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "search/spelling.h"

namespace warptune::tuner {

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

std::vector<DeviceInfo> variants_of(const DeviceInfo& device) {
  for (const BackendEntry& backend : backends())
    if (backend.name == device.backend && backend.variants != nullptr) return backend.variants(device);
  return {};
}

std::vector<DeviceInfo> with_variants(const std::vector<DeviceInfo>& devices) {
  std::vector<DeviceInfo> all;
  for (const DeviceInfo& device : devices) {
    all.push_back(device);
    for (DeviceInfo& variant : variants_of(device)) all.push_back(std::move(variant));
  }
  return all;
}

namespace {

[[noreturn]] void refuse(const DeviceList& list, std::string message) {
  if (!list.devices.empty()) message += " There are:";
  for (const DeviceInfo& device : list.devices) message += fmt::format(" {} ({})", device.id, device.name);
  for (const std::string& reason : list.absent) message += fmt::format("\n  {}", reason);
  throw NoDeviceError(message);
}

// Splits a text into ids: "cuda:0,2,host" gives cuda:0, cuda:2 and host.
std::vector<std::string> ids_of(const std::string& text) {
  std::vector<std::string> ids;
  std::istringstream parts(text);
  for (std::string id; std::getline(parts, id, ',');) {
    const bool number = !id.empty() && id.find_first_not_of("0123456789") == std::string::npos;
    if (number && !ids.empty()) id = ids.back().substr(0, ids.back().find(':') + 1) + id;
    ids.push_back(id);
  }
  return ids;
}

// Returns whether the id is that of a backend that has devices, with another number: "cuda:7" where there is "cuda:0".
// Then no spelling is suggested.
bool is_another_number(const DeviceList& list, const std::string& id) {
  return std::ranges::any_of(list.devices, [&](const DeviceInfo& device) {
    const std::string before = device.backend + ':';
    return id.starts_with(before) && id.size() > before.size() &&
           id.find_first_not_of("0123456789,", before.size()) == std::string::npos;
  });
}

void add_chosen(const DeviceList& list, const std::string& id, std::vector<DeviceInfo>& chosen) {
  const std::size_t before = chosen.size();
  for (const DeviceInfo& device : list.devices) {
    const bool all = id == device.backend + ":all";
    const bool first = device.backend == id && chosen.size() == before;
    if (all || device.id == id || first) chosen.push_back(device);
  }
  if (chosen.size() > before) return;
  std::vector<std::string> known, variants;
  for (const DeviceInfo& device : list.devices) {
    known.insert(known.end(), {device.id, device.backend});
    for (const DeviceInfo& variant : variants_of(device)) {
      if (variant.id == id) return chosen.push_back(variant);
      known.push_back(variant.id);
      if (id.starts_with(device.id + ":")) variants.push_back(variant.id);
    }
  }
  const std::string others = variants.empty() ? "" : fmt::format(" It can be {}.", fmt::join(variants, ", "));
  const std::string guess = is_another_number(list, id) ? "" : search::did_you_mean(id, known);
  refuse(list, fmt::format("there is no device '{}'{}.{}", id, guess, others));
}

void require_one_model(const std::vector<DeviceInfo>& devices) {
  for (const DeviceInfo& device : devices)
    if (!same_model(device, devices.front()))
      throw NoDeviceError(
          fmt::format("{} is a {} and {} is a {}: one session compares times, so all its devices must "
                      "be of one model; tune each model by itself",
                      devices.front().id, devices.front().name, device.id, device.name));
}

}  // namespace

std::vector<DeviceInfo> choose_devices(const DeviceList& list, const std::string& text) {
  if (text.empty() && list.devices.empty()) refuse(list, "no device to tune on.");
  if (text.empty()) return {list.devices.front()};
  std::vector<DeviceInfo> chosen;
  for (const std::string& id : ids_of(text)) add_chosen(list, id, chosen);
  require_one_model(chosen);
  return chosen;
}

DeviceInfo choose_device(const std::string& text, const BackendOptions& options) {
  return choose_devices(list_devices(options), text).front();
}

}  // namespace warptune::tuner
