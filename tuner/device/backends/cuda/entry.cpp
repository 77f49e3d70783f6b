// Finds and opens CUDA devices for the registry.
#include "tuner/device/backends/cuda/entry.h"

#include <fmt/format.h>

#include "tuner/device/backends/cuda/compile/compiler.h"
#include "tuner/device/backends/cuda/compile/nvrtc.h"
#include "tuner/device/backends/cuda/device.h"
#include "tuner/device/backends/cuda/driver/device_query.h"
#include "tuner/device/backends/cuda/examinations.h"
#include "tuner/device/backends/cuda/sensors/nvml.h"
#include "tuner/device/device_error.h"

namespace warptune::tuner::cuda {
namespace {

// Returns what the driver tells of each device, and what only NVML does: ECC, the power limit and the driver's own
// version, as "580.159.04 (CUDA 13.0)" (without NVML it is "CUDA 13.0").
std::vector<DeviceInfo> query_all(const Driver& driver, const BackendOptions& options) {
  const Nvml nvml(options);
  const std::string cuda = "CUDA " + driver.version_text();
  const std::string own = nvml.driver_version();
  auto found = query_devices(driver, own.empty() ? cuda : fmt::format("{} ({})", own, cuda));
  for (DeviceInfo& info : found) {
    const NvmlDevice device(nvml, info.uuid);
    info.ecc = device.ecc().value_or(false) ? 1 : 0;
    info.power_limit_w = static_cast<std::int64_t>(device.power_limit_w().value_or(0));
  }
  return found;
}

std::vector<DeviceInfo> devices(const BackendOptions& options, std::string& why_none) {
  try {
    const auto driver = load_driver(options);
    auto found = query_all(*driver, options);
    if (found.empty()) why_none = "the CUDA driver lists no device: check nvidia-smi and CUDA_VISIBLE_DEVICES";
    return found;
  } catch (const NoDeviceError& error) {
    why_none = error.what();
    return {};
  }
}

std::unique_ptr<Device> open(const DeviceInfo& wanted, const BackendOptions& options) {
  auto driver = load_driver(options);
  const auto present = query_all(*driver, options);
  for (const DeviceInfo& info : present)
    if (info.id == wanted.id) return std::make_unique<CudaDevice>(std::move(driver), info, options);
  throw NoDeviceError(fmt::format("there is no device {}: the CUDA driver lists {} (see `warptune devices`)", wanted.id,
                                  present.size()));
}

std::unique_ptr<Compiler> compiler(const DeviceInfo& device, const BackendOptions& options) {
  return make_compiler(device, options);
}

// Describes a library in a line, or says why it cannot be opened.
template <class Describe>
std::string line_of(Describe describe) {
  try {
    return describe();
  } catch (const NoDeviceError& error) {
    return finding_of(error.what(), Health::error).what;
  }
}

std::vector<std::string> opened(const BackendOptions& options) {
  return {line_of([&] { return describe_driver(options); }), line_of([&] {
            const auto nvrtc = load_nvrtc(options);
            return fmt::format("{} ({})", nvrtc->version_text(), nvrtc->library.file().string());
          })};
}

}  // namespace

BackendEntry entry() {
  return {"cuda", devices, open, compiler};
}

SelfExamination self_examination() {
  return {"cuda", opened, examinations()};
}

}  // namespace warptune::tuner::cuda
