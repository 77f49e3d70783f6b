// Examines whether libcuda loads and starts, and whether it lists devices.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tuner/device/backends/cuda/driver/driver.h"
#include "tuner/device/backends/cuda/examine/examinations.h"
#include "tuner/device/backends/cuda/sensors/hardware.h"
#include "tuner/device/backends/cuda/sensors/nvml.h"
#include "tuner/device/device_error.h"

namespace warptune::tuner::cuda {

namespace {

bool can_be_opened(const BackendOptions& options) {
  try {
    describe_driver(options);
    return true;
  } catch (const NoDeviceError&) {
    return false;
  }
}

Finding started(const Driver& driver, const BackendOptions& options) {
  const std::string own = Nvml(options).driver_version();
  const std::string what = fmt::format("{}, CUDA {}, {}", own.empty() ? "driver" : "driver " + own,
                                       driver.version_text(), driver.library.file().string());
  int count = 0;
  const CUresult result = driver.device_get_count(&count);
  if (result != CUDA_SUCCESS)
    return {Health::error, fmt::format("{}: counting devices answers {}", what, driver.error_text(result)),
            "check that nvidia-smi works on this machine"};
  if (count == 0)
    return {Health::error, what + " lists no device", "check nvidia-smi, and what CUDA_VISIBLE_DEVICES hides"};
  return {Health::ok, fmt::format("{}, {} device{}", what, count, count == 1 ? "" : "s"), ""};
}

}  // namespace

std::vector<Finding> examine_driver(const BackendOptions& options) {
  try {
    return {started(*load_driver(options), options)};
  } catch (const NoDeviceError& error) {
    return {explain_driver(error.what(), can_be_opened(options), look_at_hardware())};
  }
}

bool is_expected(const BackendOptions& options) {
  return look_at_hardware().present() || can_be_opened(options);
}

}  // namespace warptune::tuner::cuda
