// Implements the target with the driver, in the application's own context. It does not use the backend's Device, which
// owns a context and a stream and serves one thread: an application has its own of both, and many threads.
#include <fmt/format.h>

#include <map>
#include <mutex>
#include <thread>

#include "tuner/device/backends/cuda/compile/compiler.h"
#include "tuner/device/backends/cuda/driver/context.h"
#include "tuner/device/backends/cuda/driver/device_query.h"
#include "tuner/device/backends/cuda/driver/driver.h"
#include "tuner/device/backends/cuda/driver/errors.h"
#include "tuner/device/backends/cuda/driver/launch.h"
#include "tuner/device/backends/cuda/driver/tensor_map.h"
#include "tuner/library/runtime/target.h"

namespace warptune::runtime {

namespace {

using tuner::cuda::Driver;
using tuner::cuda::Step;

// A Scope is the application's context, and turns the driver's errors into exceptions. It never synchronises and never
// destroys anything of the application's.
struct Scope {
  std::shared_ptr<const tuner::cuda::Driver> driver;
  CUcontext context = nullptr;
  std::string label;

  // Makes the context current. It is for everything but launches, which expect the context to be current already.
  tuner::cuda::Context::Current enter() const { return {*driver, context}; }

  template <class Describe>
  void check(CUresult result, tuner::cuda::Step step, Describe&& describe) const {
    if (result != CUDA_SUCCESS) throw tuner::cuda::device_error(*driver, result, step, describe(), label);
  }
};

CUstream stream_of(Stream stream) {
  return static_cast<CUstream>(stream);
}

class CudaMemory : public tuner::Memory {
 public:
  CudaMemory(const Scope& scope, std::size_t bytes) : scope_(scope), bytes_(bytes) {
    const auto current = scope_.enter();
    scope_.check(scope_.driver->mem_alloc(&address_, bytes), tuner::cuda::Step::other,
                 [&] { return fmt::format("allocating {} bytes of scratch memory", bytes); });
  }
  ~CudaMemory() override {
    const auto current = scope_.enter();
    scope_.driver->mem_free(address_);
  }
  tuner::MemorySpan span() const override { return {address_, bytes_}; }

 private:
  Scope scope_;
  CUdeviceptr address_ = 0;
  std::size_t bytes_;
};

class CudaFunction : public Function {
 public:
  CudaFunction(const Scope& scope, CUfunction function, std::string name)
      : scope_(scope), function_(function), name_(std::move(name)) {}

  void launch(const tuner::LaunchGeometry& geometry, Stream stream, std::span<void*> arguments) override {
    const CUresult result =
        tuner::cuda::launch(*scope_.driver, function_, geometry, stream_of(stream), arguments.data());
    if (result == CUDA_SUCCESS) return;
    throw tuner::cuda::device_error(
        *scope_.driver, result, tuner::cuda::Step::launch,
        fmt::format("launching {} (is the context that the runtime was made in current on this thread?)",
                    tuner::cuda::describe(name_, geometry)),
        scope_.label);
  }

  void prepare(const tuner::LaunchGeometry& geometry) {
    scope_.check(settings_.prepare(*scope_.driver, function_, geometry), tuner::cuda::Step::launch,
                 [&] { return "preparing " + tuner::cuda::describe(name_, geometry); });
  }

 private:
  Scope scope_;
  CUfunction function_;
  std::string name_;
  tuner::cuda::KernelSettings settings_{48 * 1024};
};

class CudaProgram : public Program {
 public:
  CudaProgram(const Scope& scope, const tuner::MachineCode& code) : scope_(scope), linkage_names_(code.linkage_names) {
    const auto current = scope_.enter();
    scope_.check(scope_.driver->module_load_data(&module_, code.bytes.data()), tuner::cuda::Step::other,
                 [&] { return fmt::format("loading a module of {} bytes", code.bytes.size()); });
  }
  ~CudaProgram() override {
    const auto current = scope_.enter();
    scope_.driver->module_unload(module_);
  }

  Function& function(const std::string& name, const tuner::LaunchGeometry& geometry) override {
    const std::scoped_lock lock(mutex_);
    const auto current = scope_.enter();
    auto& made = functions_[name];
    if (!made) {
      CUfunction found = nullptr;
      scope_.check(scope_.driver->module_get_function(&found, module_, linkage_names_.at(name).c_str()),
                   tuner::cuda::Step::other, [&] { return fmt::format("finding the kernel {}", name); });
      made = std::make_unique<CudaFunction>(scope_, found, name);
    }
    made->prepare(geometry);
    return *made;
  }

  tuner::MemorySpan symbol(const std::string& name) override {
    const auto current = scope_.enter();
    CUdeviceptr address = 0;
    std::size_t bytes = 0;
    scope_.check(scope_.driver->module_get_global(&address, &bytes, module_, linkage_names_.at(name).c_str()),
                 tuner::cuda::Step::other, [&] { return fmt::format("finding the variable {}", name); });
    return {address, bytes};
  }

 private:
  Scope scope_;
  CUmodule module_ = nullptr;
  std::map<std::string, std::string> linkage_names_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<CudaFunction>> functions_;
};

class CudaTarget : public Target {
 public:
  CudaTarget(Scope scope, tuner::DeviceInfo info, const tuner::BackendOptions& options)
      : scope_(std::move(scope)), info_(std::move(info)), compiler_(tuner::cuda::make_compiler(info_, options)) {}

  const tuner::DeviceInfo& info() const override { return info_; }
  tuner::Compiler& compiler() override { return *compiler_; }
  std::unique_ptr<Program> load(const tuner::MachineCode& code) override {
    return std::make_unique<CudaProgram>(scope_, code);
  }
  std::unique_ptr<tuner::Memory> allocate(std::size_t bytes) override {
    return std::make_unique<CudaMemory>(scope_, bytes);
  }

  tuner::TensorMap encode_tensor_map(const tuner::TensorView& view, tuner::MemorySpan memory) override {
    return tuner::cuda::encode_tensor_map(*scope_.driver, info_, view, memory);
  }
  void clear(tuner::MemorySpan span, Stream stream) override {
    scope_.check(scope_.driver->memset_d8_async(span.address, 0, span.bytes, stream_of(stream)),
                 tuner::cuda::Step::other, [&] { return fmt::format("clearing {} bytes", span.bytes); });
  }
  void copy(tuner::MemorySpan to, tuner::MemorySpan from, Stream stream) override {
    scope_.check(scope_.driver->memcpy_dtod_async(to.address, from.address, from.bytes, stream_of(stream)),
                 tuner::cuda::Step::other, [&] { return fmt::format("copying {} bytes on the device", from.bytes); });
  }
  void download(std::span<std::byte> to, tuner::MemorySpan from, Stream stream) override {
    const auto attempted = [&] { return fmt::format("copying {} bytes from the device", to.size()); };
    scope_.check(scope_.driver->memcpy_dtoh_async(to.data(), from.address, to.size(), stream_of(stream)),
                 tuner::cuda::Step::other, attempted);
    for (;;) {
      const CUresult state = scope_.driver->stream_query(stream_of(stream));
      if (state == CUDA_SUCCESS) return;
      if (state != CUDA_ERROR_NOT_READY) scope_.check(state, tuner::cuda::Step::other, attempted);
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }

 private:
  Scope scope_;
  tuner::DeviceInfo info_;
  std::unique_ptr<tuner::Compiler> compiler_;
};

tuner::DeviceInfo current_device(const tuner::cuda::Driver& driver) {
  CUdevice device = 0;
  CUuuid uuid{};
  if (driver.context_get_device(&device) != CUDA_SUCCESS || driver.device_get_uuid(&uuid, device) != CUDA_SUCCESS)
    throw tuner::NoDeviceError(
        "the device of the current CUDA context cannot be found out: is the context still valid?");
  for (tuner::DeviceInfo& info : tuner::cuda::query_devices(driver, driver.version_text()))
    if (info.uuid == tuner::cuda::uuid_text(uuid)) return info;
  throw tuner::NoDeviceError("the driver does not list the device of the current CUDA context");
}

}  // namespace

std::unique_ptr<Target> cuda_target(const Options& options) {
  tuner::BackendOptions backend;
  backend.library_directories = options.library_directories;
  backend.cuda_include_directories = options.cuda_include_directories;
  backend.compile_timeout_s = options.compile_timeout_s;
  Scope scope{tuner::cuda::load_driver(backend), nullptr, ""};
  if (scope.driver->context_get_current(&scope.context) != CUDA_SUCCESS || scope.context == nullptr)
    throw tuner::NoDeviceError(
        "no CUDA context is current on this thread: make the application's current first (cuCtxSetCurrent, or any call "
        "of the CUDA runtime such as cudaFree(0))");
  tuner::DeviceInfo info = current_device(*scope.driver);
  scope.label = fmt::format("{} ({})", info.id, info.name);
  return std::make_unique<CudaTarget>(std::move(scope), std::move(info), backend);
}

}  // namespace warptune::runtime
