// Looks the driver's functions up, each by the symbol of the version that the backend uses.
#include "tuner/device/backends/cuda/driver/driver.h"

#include <fmt/format.h>

#include <cstddef>

#include "tuner/device/backends/cuda/compile/library.h"
#include "tuner/device/device_error.h"

namespace warptune::tuner::cuda {
namespace {

#if CUDA_VERSION >= 11080
static_assert(sizeof(Driver::LaunchAttribute) == sizeof(CUlaunchAttribute) &&
              sizeof(Driver::LaunchConfig) == sizeof(CUlaunchConfig));
static_assert(offsetof(Driver::LaunchAttribute, value) == offsetof(CUlaunchAttribute, value) &&
              offsetof(Driver::LaunchConfig, attributes) == offsetof(CUlaunchConfig, attrs));
#endif

SharedLibrary open_driver_library(const BackendOptions& options) {
  std::string failure;
  const LibrarySearch search{{"libcuda.so.1"}, options.library_directories, library_folders(options)};
  if (auto library = open_library(search, failure)) return *library;
  throw NoDeviceError(
      fmt::format("NVIDIA's driver library libcuda.so.1 cannot be loaded ({}): install the NVIDIA driver, "
                  "or name the folder that holds the library",
                  failure));
}

template <typename Function>
void look_up(const Driver& driver, Function& function, const char* symbol) {
  function = reinterpret_cast<Function>(driver.library.find(symbol));
  if (function) return;
  throw NoDeviceError(
      fmt::format("the driver library {} (CUDA {}) lacks the symbol {}: install a newer NVIDIA driver "
                  "(CUDA 11.4, driver 470, or later)",
                  driver.library.file().string(), driver.version_text(), symbol));
}

// Looks the version up first of all, so that a missing symbol's message can say how old the driver is.
void look_up_version(Driver& driver) {
  look_up(driver, driver.driver_get_version, "cuDriverGetVersion");
  driver.driver_get_version(&driver.version);
  look_up(driver, driver.init, "cuInit");
  look_up(driver, driver.get_error_name, "cuGetErrorName");
  look_up(driver, driver.get_error_string, "cuGetErrorString");
}

void look_up_devices(Driver& driver) {
  look_up(driver, driver.device_get_count, "cuDeviceGetCount");
  look_up(driver, driver.device_get, "cuDeviceGet");
  look_up(driver, driver.device_get_name, "cuDeviceGetName");
  look_up(driver, driver.device_get_attribute, "cuDeviceGetAttribute");
  look_up(driver, driver.device_total_mem, "cuDeviceTotalMem_v2");
  look_up(driver, driver.device_get_uuid, "cuDeviceGetUuid_v2");
  look_up(driver, driver.primary_context_retain, "cuDevicePrimaryCtxRetain");
  look_up(driver, driver.primary_context_release, "cuDevicePrimaryCtxRelease_v2");
  look_up(driver, driver.context_push, "cuCtxPushCurrent_v2");
  look_up(driver, driver.context_pop, "cuCtxPopCurrent_v2");
  look_up(driver, driver.context_get_current, "cuCtxGetCurrent");
  // This is not cuCtxGetDevice_v2, which came with CUDA 13 and takes the context.
  look_up(driver, driver.context_get_device, "cuCtxGetDevice");
}

void look_up_streams(Driver& driver) {
  look_up(driver, driver.stream_create, "cuStreamCreate");
  look_up(driver, driver.stream_destroy, "cuStreamDestroy_v2");
  look_up(driver, driver.stream_query, "cuStreamQuery");
  look_up(driver, driver.stream_wait_event, "cuStreamWaitEvent");
  look_up(driver, driver.stream_begin_capture, "cuStreamBeginCapture_v2");
  look_up(driver, driver.stream_end_capture, "cuStreamEndCapture");
  look_up(driver, driver.graph_instantiate, "cuGraphInstantiateWithFlags");
  look_up(driver, driver.graph_launch, "cuGraphLaunch");
  look_up(driver, driver.graph_exec_destroy, "cuGraphExecDestroy");
  look_up(driver, driver.graph_destroy, "cuGraphDestroy");
  look_up(driver, driver.event_create, "cuEventCreate");
  look_up(driver, driver.event_destroy, "cuEventDestroy_v2");
  look_up(driver, driver.event_record, "cuEventRecord");
  look_up(driver, driver.event_query, "cuEventQuery");
  // This is not cuEventElapsedTime_v2, which came with 12.8 and differs only for events of other contexts.
  look_up(driver, driver.event_elapsed_time, "cuEventElapsedTime");
}

void look_up_work(Driver& driver) {
  look_up(driver, driver.mem_alloc, "cuMemAlloc_v2");
  look_up(driver, driver.mem_free, "cuMemFree_v2");
  look_up(driver, driver.mem_host_alloc, "cuMemHostAlloc");
  look_up(driver, driver.mem_host_get_device_pointer, "cuMemHostGetDevicePointer_v2");
  look_up(driver, driver.mem_free_host, "cuMemFreeHost");
  look_up(driver, driver.mem_alloc_managed, "cuMemAllocManaged");
  driver.mem_prefetch_v2 = reinterpret_cast<Driver::MemPrefetchV2*>(driver.library.find("cuMemPrefetchAsync_v2"));
  if (!driver.mem_prefetch_v2) look_up(driver, driver.mem_prefetch, "cuMemPrefetchAsync");
  look_up(driver, driver.memcpy_htod_async, "cuMemcpyHtoDAsync_v2");
  look_up(driver, driver.memcpy_dtoh_async, "cuMemcpyDtoHAsync_v2");
  look_up(driver, driver.memcpy_dtod_async, "cuMemcpyDtoDAsync_v2");
  look_up(driver, driver.memset_d8_async, "cuMemsetD8Async");
  look_up(driver, driver.module_load_data, "cuModuleLoadData");
  look_up(driver, driver.module_unload, "cuModuleUnload");
  look_up(driver, driver.module_get_function, "cuModuleGetFunction");
  look_up(driver, driver.module_get_global, "cuModuleGetGlobal_v2");
  look_up(driver, driver.function_get_attribute, "cuFuncGetAttribute");
  look_up(driver, driver.function_set_attribute, "cuFuncSetAttribute");
  look_up(driver, driver.occupancy_max_active_blocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  look_up(driver, driver.launch_kernel, "cuLaunchKernel");
  driver.launch_kernel_ex = reinterpret_cast<Driver::LaunchKernelEx*>(driver.library.find("cuLaunchKernelEx"));
  driver.tensor_map_encode_tiled =
      reinterpret_cast<Driver::TensorMapEncodeTiled*>(driver.library.find("cuTensorMapEncodeTiled"));
}

std::string_view advice(CUresult result) {
  switch (result) {
    case CUDA_ERROR_NO_DEVICE:
      return "check that the machine has an NVIDIA GPU, that nvidia-smi lists it, and what CUDA_VISIBLE_DEVICES hides";
    case CUDA_ERROR_STUB_LIBRARY:
      return "this is the toolkit's stub for linking, not a driver: take its folder out of the loader's search";
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
      return "the library and the kernel module are of different drivers: reboot, or reload the module";
    default:
      return "check that nvidia-smi works on this machine";
  }
}

void initialise(const Driver& driver) {
  if (const CUresult result = driver.init(0); result != CUDA_SUCCESS)
    throw NoDeviceError(fmt::format("the driver {} (CUDA {}) does not start: cuInit answers {}; {}",
                                    driver.library.file().string(), driver.version_text(), driver.error_text(result),
                                    advice(result)));
}

}  // namespace

std::string Driver::version_text() const {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::string Driver::error_name(CUresult result) const {
  const char* name = nullptr;
  if (get_error_name(result, &name) == CUDA_SUCCESS && name) return name;
  return fmt::format("CUresult {}", static_cast<int>(result));
}

std::string Driver::error_text(CUresult result) const {
  const char* words = nullptr;
  if (get_error_string(result, &words) == CUDA_SUCCESS && words)
    return fmt::format("{} ({})", error_name(result), words);
  return error_name(result);
}

CUresult Driver::prefetch(CUdeviceptr managed, std::size_t bytes, bool to_host, CUdevice device,
                          CUstream stream) const {
  constexpr int on_device = 1, on_host = 2;  // CU_MEM_LOCATION_TYPE_DEVICE, CU_MEM_LOCATION_TYPE_HOST
  if (mem_prefetch_v2)
    return mem_prefetch_v2(managed, bytes, to_host ? Location{on_host, 0} : Location{on_device, device}, 0, stream);
  return mem_prefetch(managed, bytes, to_host ? CU_DEVICE_CPU : device, stream);
}

std::string describe_driver(const BackendOptions& options) {
  Driver driver{open_driver_library(options)};
  look_up(driver, driver.driver_get_version, "cuDriverGetVersion");
  driver.driver_get_version(&driver.version);
  return fmt::format("driver of CUDA {} ({})", driver.version_text(), driver.library.file().string());
}

std::shared_ptr<const Driver> load_driver(const BackendOptions& options) {
  const auto driver = std::make_shared<Driver>(Driver{open_driver_library(options)});
  look_up_version(*driver);
  look_up_devices(*driver);
  look_up_streams(*driver);
  look_up_work(*driver);
  initialise(*driver);
  return driver;
}

}  // namespace warptune::tuner::cuda
