#include "bench/runtime/plain_launch.h"

#include <fmt/format.h>

#include "tuner/device/backends/cuda/compile/compiler.h"
#include "tuner/device/backends/cuda/driver/device_query.h"
#include "tuner/kernel/manifest/manifest.h"
#include "tuner/kernel/problem.h"
#include "tuner/kernel/source/compile_requests.h"

namespace warptune::tuner::bench {

void require(const cuda::Driver& driver, CUresult result, const char* attempted) {
  if (result != CUDA_SUCCESS) throw std::runtime_error(fmt::format("{}: {}", attempted, driver.error_text(result)));
}

Application::Application(const BackendOptions& options) : driver_(cuda::load_driver(options)) {
  const auto devices = cuda::query_devices(*driver_, driver_->version_text());
  if (devices.empty()) throw std::runtime_error("the driver lists no device");
  device_ = devices.front();
  CUdevice device = 0;
  CUcontext context = nullptr;
  require(*driver_, driver_->device_get(&device, 0), "finding the device");
  require(*driver_, driver_->primary_context_retain(&context, device), "opening the primary context");
  require(*driver_, driver_->context_push(context), "making it current");
  require(*driver_, driver_->stream_create(&stream_, CU_STREAM_NON_BLOCKING), "creating a stream");
}

Application::~Application() {
  for (const CUdeviceptr buffer : buffers_) driver_->mem_free(buffer);
  driver_->stream_destroy(stream_);
  CUcontext popped = nullptr;
  driver_->context_pop(&popped);
  driver_->primary_context_release(0);
}

CUdeviceptr Application::allocate(std::size_t bytes) {
  buffers_.emplace_back();
  require(*driver_, driver_->mem_alloc(&buffers_.back(), bytes), "allocating memory");
  return buffers_.back();
}

void Application::wait() const {
  CUresult state = CUDA_ERROR_NOT_READY;
  while (state == CUDA_ERROR_NOT_READY) state = driver_->stream_query(stream_);
  require(*driver_, state, "waiting for the stream");
}

PlainLaunch::PlainLaunch(Application& application, const std::filesystem::path& manifest, std::int64_t size,
                         std::array<CUdeviceptr, 3> buffers, const BackendOptions& options)
    : application_(application), buffers_(buffers), size_(size) {
  const KernelTemplate kernel = load_manifest(manifest);
  const search::NamedValues scope =
      scope_of(problem_constants({{"SIZE", size}}, application.device()), kernel.default_values);
  geometry_ = make_plan(kernel, scope).launches.at(0).geometry;
  const auto compiler = cuda::make_compiler(application.device(), options);
  const CompileResult compiled = compiler->compile(compile_request(kernel, "cuda", kernel.default_values, scope));
  if (!compiled.code) throw std::runtime_error(compiled.log);
  const cuda::Driver& driver = application.driver();
  CUmodule module = nullptr;  // left to the end of the process
  require(driver, driver.module_load_data(&module, compiled.code->bytes.data()), "loading the module");
  require(driver, driver.module_get_function(&function_, module, compiled.code->linkage_names.at("vector_add").c_str()),
          "finding the kernel");
}

void PlainLaunch::launch() {
  void* pointers[] = {&buffers_[0], &buffers_[1], &buffers_[2], &size_};
  const auto u = [](std::int64_t n) { return static_cast<unsigned>(n); };
  const auto& [grid, block, shared] = geometry_;
  require(application_.driver(),
          application_.driver().launch_kernel(function_, u(grid.x), u(grid.y), u(grid.z), u(block.x), u(block.y),
                                              u(block.z), u(shared), application_.stream(), pointers, nullptr),
          "launching");
}

}  // namespace warptune::tuner::bench
