// This file is built instead of entry.cpp where the CUDA headers were not found at build time.
#include "tuner/device/backends/cuda/entry.h"
#include "tuner/device/device_error.h"

namespace warptune::tuner::cuda {
namespace {

constexpr const char* reason =
    "this program was built without the CUDA headers (cuda.h and nvrtc.h): install the CUDA toolkit or its header "
    "packages, or set WARPTUNE_CUDA_INCLUDE_DIR, and build again";

std::vector<DeviceInfo> devices(const BackendOptions&, std::string& why_none) {
  why_none = reason;
  return {};
}

std::unique_ptr<Device> open(const DeviceInfo&, const BackendOptions&) {
  throw NoDeviceError(reason);
}

std::unique_ptr<Compiler> compiler(const DeviceInfo&, const BackendOptions&) {
  throw NoDeviceError(reason);
}

std::vector<std::string> opened(const BackendOptions&) {
  return {reason};
}

std::vector<Finding> examine(const BackendOptions&) {
  return {finding_of(reason, Health::warning)};
}

}  // namespace

BackendEntry entry() {
  return {"cuda", devices, open, compiler};
}

SelfExamination self_examination() {
  return {"cuda", opened, {{"driver", examine}}};
}

}  // namespace warptune::tuner::cuda
