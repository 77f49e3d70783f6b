#include "tuner/backends/host/entry.h"

#include "tuner/backends/host/block_scheduler.h"
#include "tuner/backends/host/host_compiler.h"
#include "tuner/backends/host/host_device.h"
#include "tuner/backends/host/host_info.h"

namespace warptune::tuner::host {

namespace {

std::vector<DeviceInfo> devices(const BackendOptions& options, std::string&) {
  return {host_info(options.host_threads)};
}

std::unique_ptr<Device> open(const DeviceInfo& device, const BackendOptions&) {
  return std::make_unique<HostDevice>(device, StackPolicy().bytes);
}

std::unique_ptr<Compiler> compiler(const DeviceInfo&, const BackendOptions& options) {
  return std::make_unique<HostCompiler>(options.host_compiler, options.compile_timeout_s);
}

}  // namespace

BackendEntry entry() {
  return {"host", &devices, &open, &compiler};
}

}  // namespace warptune::tuner::host
