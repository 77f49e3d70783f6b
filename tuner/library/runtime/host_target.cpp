// Implements the target with the host backend: launches end before they return, and streams are ignored.
#include <cstring>
#include <map>
#include <mutex>

#include "tuner/device/backends/host/entry.h"
#include "tuner/library/runtime/host.h"
#include "tuner/library/runtime/impl.h"

namespace warptune::runtime {

namespace {

// One thread uses a device of device/device.h at a time, so all work holds this mutex.
struct Shared {
  std::unique_ptr<tuner::Device> device;
  std::mutex mutex;
};

class HostFunction : public Function {
 public:
  HostFunction(Shared& shared, tuner::Kernel& kernel) : shared_(shared), kernel_(kernel) {}

  void launch(const tuner::LaunchGeometry& geometry, Stream, std::span<void*> arguments) override {
    const std::scoped_lock lock(shared_.mutex);
    kernel_.launch(geometry, arguments);
    shared_.device->synchronize();
  }

 private:
  Shared& shared_;
  tuner::Kernel& kernel_;
};

class HostProgram : public Program {
 public:
  HostProgram(Shared& shared, const tuner::MachineCode& code) : shared_(shared), module_(shared.device->load(code)) {}

  Function& function(const std::string& name, const tuner::LaunchGeometry&) override {
    const std::scoped_lock lock(shared_.mutex);
    auto& made = functions_[name];
    if (!made) made = std::make_unique<HostFunction>(shared_, module_->kernel(name));
    return *made;
  }
  tuner::MemorySpan symbol(const std::string& name) override { return module_->symbol(name); }

 private:
  Shared& shared_;
  std::unique_ptr<tuner::Module> module_;
  std::map<std::string, std::unique_ptr<HostFunction>> functions_;
};

class HostTarget : public Target {
 public:
  explicit HostTarget(const tuner::BackendOptions& options) {
    const tuner::BackendEntry backend = tuner::host::entry();
    std::string why_none;
    const tuner::DeviceInfo device = backend.devices(options, why_none).front();
    compiler_ = backend.compiler(device, options);
    shared_.device = backend.open(device, options);
  }

  const tuner::DeviceInfo& info() const override { return shared_.device->info(); }
  tuner::Compiler& compiler() override { return *compiler_; }
  std::unique_ptr<Program> load(const tuner::MachineCode& code) override {
    const std::scoped_lock lock(shared_.mutex);
    return std::make_unique<HostProgram>(shared_, code);
  }
  std::unique_ptr<tuner::Memory> allocate(std::size_t bytes) override { return shared_.device->allocate(bytes); }
  tuner::TensorMap encode_tensor_map(const tuner::TensorView& view, tuner::MemorySpan memory) override {
    return shared_.device->encode_tensor_map(view, memory);
  }
  void clear(tuner::MemorySpan span, Stream) override { std::memset(pointer(span), 0, span.bytes); }
  void copy(tuner::MemorySpan to, tuner::MemorySpan from, Stream) override {
    std::memcpy(pointer(to), pointer(from), from.bytes);
  }
  void download(std::span<std::byte> to, tuner::MemorySpan from, Stream) override {
    std::memcpy(to.data(), pointer(from), to.size());
  }

 private:
  // Device memory is the process's own.
  static void* pointer(tuner::MemorySpan span) { return reinterpret_cast<void*>(span.address); }  // NOLINT

  Shared shared_;
  std::unique_ptr<tuner::Compiler> compiler_;
};

}  // namespace

Runtime host_runtime(const Options& options) {
  tuner::BackendOptions backend;
  backend.host_compiler = options.host_compiler;
  backend.compile_timeout_s = options.compile_timeout_s;
  try {
    return Runtime(std::make_shared<Runtime::Impl>(std::make_unique<HostTarget>(backend), options));
  } catch (const tuner::NoDeviceError& error) {
    throw Error(error.what());
  }
}

}  // namespace warptune::runtime
