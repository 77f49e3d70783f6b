// Calls those of NVML's functions that change a device. They have a table of their own: every session uses those that
// only ask (nvml.cpp), but only a user who names a clock or a cap needs these.
#include "tuner/device/backends/cuda/sensors/nvml_settings.h"

#include <fmt/format.h>

#include <string_view>

#include "tuner/device/backends/cuda/compile/library.h"
#include "tuner/device/device_error.h"

namespace warptune::tuner::cuda {

struct NvmlSetters {
  SharedLibrary library;
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*handle_by_uuid)(const char* uuid, void** device) = nullptr;
  const char* (*error_string)(int result) = nullptr;
  int (*lock_clocks)(void* device, unsigned least_mhz, unsigned most_mhz) = nullptr;
  int (*reset_clocks)(void* device) = nullptr;
  int (*power_limit)(void* device, unsigned* milliwatts) = nullptr;
  int (*set_power_limit)(void* device, unsigned milliwatts) = nullptr;
  int (*power_range)(void* device, unsigned* least_mw, unsigned* most_mw) = nullptr;
};

namespace {

constexpr int invalid_argument = 2, not_supported = 3, no_permission = 4, not_found = 13;  // nvmlReturn_t

std::string_view code_name(int result) {
  switch (result) {
    case invalid_argument:
      return "NVML_ERROR_INVALID_ARGUMENT";
    case not_supported:
      return "NVML_ERROR_NOT_SUPPORTED";
    case no_permission:
      return "NVML_ERROR_NO_PERMISSION";
    case not_found:
      return "NVML_ERROR_FUNCTION_NOT_FOUND";
    default:
      return "NVML error";
  }
}

std::string_view advice(int result) {
  switch (result) {
    case no_permission:
      return "only root may: run it as root, or have an administrator do the same with nvidia-smi (--lock-gpu-clocks, "
             "--power-limit) and leave --clock and --power-cap out";
    case invalid_argument:
      return "`nvidia-smi -q -d SUPPORTED_CLOCKS,POWER` lists what the device takes";
    case not_supported:
    case not_found:
      return "this device or its driver cannot: clocks are locked from Volta on, and virtual GPUs take neither";
    default:
      return "check nvidia-smi";
  }
}

template <typename Function>
void look_up_setter(const SharedLibrary& library, Function& function, const char* symbol) {
  function = reinterpret_cast<Function>(library.find(symbol));
}

void look_up_setters(NvmlSetters& functions) {
  const SharedLibrary& library = functions.library;
  look_up_setter(library, functions.init, "nvmlInit_v2");
  look_up_setter(library, functions.shutdown, "nvmlShutdown");
  look_up_setter(library, functions.handle_by_uuid, "nvmlDeviceGetHandleByUUID");
  look_up_setter(library, functions.error_string, "nvmlErrorString");
  look_up_setter(library, functions.lock_clocks, "nvmlDeviceSetGpuLockedClocks");
  look_up_setter(library, functions.reset_clocks, "nvmlDeviceResetGpuLockedClocks");
  look_up_setter(library, functions.power_limit, "nvmlDeviceGetPowerManagementLimit");
  look_up_setter(library, functions.set_power_limit, "nvmlDeviceSetPowerManagementLimit");
  look_up_setter(library, functions.power_range, "nvmlDeviceGetPowerManagementLimitConstraints");
}

}  // namespace

NvmlSettings::NvmlSettings(const BackendOptions& options, const std::string& uuid, std::string label)
    : label_(std::move(label)) {
  std::string failure;
  auto library = open_library({{"libnvidia-ml.so.1"}, options.library_directories, library_folders(options)}, failure);
  if (!library)
    throw NoDeviceError(fmt::format(
        "setting the clock or the power cap of {} needs NVML, and libnvidia-ml.so.1 cannot be loaded ({}): install the "
        "NVIDIA driver, or leave --clock and --power-cap out",
        label_, failure));
  auto functions = std::make_unique<NvmlSetters>(NvmlSetters{*library});
  look_up_setters(*functions);
  const int started =
      functions->init && functions->shutdown && functions->handle_by_uuid ? functions->init() : not_found;
  if (started == 0) functions_ = std::move(functions);
  check(started, "starting NVML");
  check(functions_->handle_by_uuid(uuid.c_str(), &device_), "finding the device in NVML");
}

NvmlSettings::~NvmlSettings() {
  if (functions_) functions_->shutdown();
}

void NvmlSettings::check(int result, const std::string& attempted) const {
  if (result == 0) return;
  const char* words = functions_ && functions_->error_string ? functions_->error_string(result) : nullptr;
  throw DeviceSettingsError(fmt::format("{} on {} failed: {} {}{}; {}", attempted, label_, code_name(result), result,
                                        words ? fmt::format(" ({})", words) : "", advice(result)));
}

void NvmlSettings::require_power_in_range(int watts) const {
  unsigned least = 0, most = 0;
  if (!functions_->power_range || functions_->power_range(device_, &least, &most) != 0) return;
  const auto milliwatts = static_cast<unsigned>(watts) * 1000;
  if (least <= milliwatts && milliwatts <= most) return;
  throw DeviceSettingsError(fmt::format("setting the power cap to {} W on {} is not possible: it takes {} to {} W",
                                        watts, label_, (least + 999) / 1000, most / 1000));
}

ChangedSettings NvmlSettings::apply(const DeviceSettings& wanted) {
  ChangedSettings changed;
  unsigned previous_mw = 0;
  if (wanted.power_cap_w > 0) {
    check(functions_->power_limit ? functions_->power_limit(device_, &previous_mw) : not_found,
          "reading the power cap");
    require_power_in_range(wanted.power_cap_w);
  }
  if (wanted.clock_mhz > 0) {
    const auto mhz = static_cast<unsigned>(wanted.clock_mhz);
    check(functions_->lock_clocks && functions_->reset_clocks ? functions_->lock_clocks(device_, mhz, mhz) : not_found,
          fmt::format("locking the graphics clock at {} MHz", mhz));
    changed.clock_locked = true;
  }
  if (wanted.power_cap_w == 0) return changed;
  const auto milliwatts = static_cast<unsigned>(wanted.power_cap_w) * 1000;
  const int result = functions_->set_power_limit ? functions_->set_power_limit(device_, milliwatts) : not_found;
  if (result != 0 && changed.clock_locked) functions_->reset_clocks(device_);  // both or nothing
  check(result, fmt::format("setting the power cap to {} W", wanted.power_cap_w));
  changed.previous_cap_mw = previous_mw;
  return changed;
}

void NvmlSettings::restore(const ChangedSettings& changed) {
  const int clocks = changed.clock_locked ? functions_->reset_clocks(device_) : 0;
  const int cap = changed.previous_cap_mw > 0 ? functions_->set_power_limit(device_, changed.previous_cap_mw) : 0;
  check(clocks, "unlocking the graphics clock");
  check(cap, fmt::format("setting the power cap back to {} W", changed.previous_cap_mw / 1000));
}

}  // namespace warptune::tuner::cuda
