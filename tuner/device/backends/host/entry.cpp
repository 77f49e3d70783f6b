// Describes and opens the host's processors for the registry.
#include "tuner/device/backends/host/entry.h"

#include <fmt/format.h>

#include "tuner/device/backends/host/compile/host_compiler.h"
#include "tuner/device/backends/host/device.h"
#include "tuner/device/backends/host/examinations.h"
#include "tuner/device/backends/host/execution/block_scheduler.h"
#include "tuner/device/backends/host/host_info.h"
#include "tuner/device/device_error.h"

namespace warptune::tuner::host {

namespace {

std::vector<DeviceInfo> devices(const BackendOptions& options, std::string&) {
  return {host_info(options.host_threads)};
}

// Stacks for tracked kernels are this many times as large, because without optimisation a kernel's frames are.
constexpr std::size_t kTrackedStacks = 8;

std::unique_ptr<Device> open(const DeviceInfo& device, const BackendOptions& options) {
  const std::size_t bytes = StackPolicy().bytes * (options.accesses ? kTrackedStacks : 1);
  return std::make_unique<HostDevice>(device, bytes, options.accesses);
}

std::unique_ptr<Compiler> compiler(const DeviceInfo&, const BackendOptions& options) {
  return std::make_unique<HostCompiler>(options.host_compiler, options.compile_timeout_s);
}

std::vector<std::string> opened(const BackendOptions& options) {
  try {
    return {fmt::format("{} ({})", HostCompiler(options.host_compiler, options.compile_timeout_s).version(),
                        options.host_compiler)};
  } catch (const NoDeviceError& error) {
    return {finding_of(error.what(), Health::error).what};
  }
}

}  // namespace

BackendEntry entry() {
  return {"host", &devices, &open, &compiler, &as_architectures};
}

SelfExamination self_examination() {
  return {"host", &opened, examinations()};
}

}  // namespace warptune::tuner::host
