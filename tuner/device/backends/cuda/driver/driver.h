// Opens the CUDA driver API at run time. Its functions are pointers that are looked up once.
#pragma once

#include <cuda.h>

#include <memory>
#include <string>

#include "tuner/device/backend.h"
#include "tuner/device/backends/cuda/compile/library.h"

namespace warptune::tuner::cuda {

// Every member is the function that its name says, without the prefix "cu" and without the version of its symbol
// (driver.cpp has the symbols). None is null but the last ones.
struct Driver {
  SharedLibrary library;
  int version = 0;  // of CUDA that the driver implements: 13000 is 13.0

  decltype(&::cuInit) init = nullptr;
  decltype(&::cuDriverGetVersion) driver_get_version = nullptr;
  decltype(&::cuGetErrorName) get_error_name = nullptr;
  decltype(&::cuGetErrorString) get_error_string = nullptr;

  decltype(&::cuDeviceGetCount) device_get_count = nullptr;
  decltype(&::cuDeviceGet) device_get = nullptr;
  decltype(&::cuDeviceGetName) device_get_name = nullptr;
  decltype(&::cuDeviceGetAttribute) device_get_attribute = nullptr;
  decltype(&::cuDeviceTotalMem) device_total_mem = nullptr;
  decltype(&::cuDeviceGetUuid) device_get_uuid = nullptr;

  decltype(&::cuDevicePrimaryCtxRetain) primary_context_retain = nullptr;
  decltype(&::cuDevicePrimaryCtxRelease) primary_context_release = nullptr;
  decltype(&::cuCtxPushCurrent) context_push = nullptr;
  decltype(&::cuCtxPopCurrent) context_pop = nullptr;
  decltype(&::cuCtxGetCurrent) context_get_current = nullptr;
  CUresult (*context_get_device)(CUdevice*) = nullptr;  // later headers may give the name to a second version

  decltype(&::cuStreamCreate) stream_create = nullptr;
  decltype(&::cuStreamDestroy) stream_destroy = nullptr;
  decltype(&::cuStreamQuery) stream_query = nullptr;
  decltype(&::cuStreamWaitEvent) stream_wait_event = nullptr;
  decltype(&::cuStreamBeginCapture) stream_begin_capture = nullptr;
  decltype(&::cuStreamEndCapture) stream_end_capture = nullptr;
  decltype(&::cuGraphInstantiateWithFlags) graph_instantiate = nullptr;
  decltype(&::cuGraphLaunch) graph_launch = nullptr;
  decltype(&::cuGraphExecDestroy) graph_exec_destroy = nullptr;
  decltype(&::cuGraphDestroy) graph_destroy = nullptr;
  decltype(&::cuEventCreate) event_create = nullptr;
  decltype(&::cuEventDestroy) event_destroy = nullptr;
  decltype(&::cuEventRecord) event_record = nullptr;
  decltype(&::cuEventQuery) event_query = nullptr;
  decltype(&::cuEventElapsedTime) event_elapsed_time = nullptr;

  decltype(&::cuMemAlloc) mem_alloc = nullptr;
  decltype(&::cuMemFree) mem_free = nullptr;
  decltype(&::cuMemHostAlloc) mem_host_alloc = nullptr;
  decltype(&::cuMemHostGetDevicePointer) mem_host_get_device_pointer = nullptr;
  decltype(&::cuMemFreeHost) mem_free_host = nullptr;
  decltype(&::cuMemAllocManaged) mem_alloc_managed = nullptr;
  decltype(&::cuMemcpyHtoDAsync) memcpy_htod_async = nullptr;
  decltype(&::cuMemcpyDtoHAsync) memcpy_dtoh_async = nullptr;
  decltype(&::cuMemcpyDtoDAsync) memcpy_dtod_async = nullptr;
  decltype(&::cuMemsetD8Async) memset_d8_async = nullptr;

  decltype(&::cuModuleLoadData) module_load_data = nullptr;
  decltype(&::cuModuleUnload) module_unload = nullptr;
  decltype(&::cuModuleGetFunction) module_get_function = nullptr;
  decltype(&::cuModuleGetGlobal) module_get_global = nullptr;
  decltype(&::cuFuncGetAttribute) function_get_attribute = nullptr;
  decltype(&::cuFuncSetAttribute) function_set_attribute = nullptr;
  decltype(&::cuOccupancyMaxActiveBlocksPerMultiprocessor) occupancy_max_active_blocks = nullptr;
  decltype(&::cuLaunchKernel) launch_kernel = nullptr;

  // `launch_kernel_ex` may be null. CUDA 11.8 brought it, and headers before that lack its types, so they are declared
  // here.
  struct LaunchAttribute {
    int id;
    char pad[4];
    union {
      char bytes[64];
      int number;
      unsigned extents[3];
    } value;
  };
  struct LaunchConfig {
    unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes;
    CUstream stream;
    LaunchAttribute* attributes;
    unsigned count;
  };
  enum : int {  // CUlaunchAttributeID
    cooperative = 2,
    cluster_dimension = 4,
    programmatic_stream_serialization = 6,
    priority = 8,
    preferred_cluster_dimension = 11
  };
  static constexpr int non_portable_cluster_size_allowed = 14;  // a CUfunction_attribute
  using LaunchKernelEx = CUresult(const LaunchConfig* config, CUfunction function, void** arguments, void** extra);
  LaunchKernelEx* launch_kernel_ex = nullptr;

  // One of these two may be null. CUDA 12.2 brought the second version, to which CUDA 13's header gives the plain name.
  // It takes a CUmemLocation, which earlier headers have without the host.
  struct Location {
    int type, id;
  };
  using MemPrefetch = CUresult(CUdeviceptr address, std::size_t bytes, CUdevice device, CUstream stream);
  using MemPrefetchV2 = CUresult(CUdeviceptr address, std::size_t bytes, Location place, unsigned flags,
                                 CUstream stream);
  MemPrefetch* mem_prefetch = nullptr;
  MemPrefetchV2* mem_prefetch_v2 = nullptr;
  // Prefetches with the version that the driver has.
  CUresult prefetch(CUdeviceptr managed, std::size_t bytes, bool to_host, CUdevice device, CUstream stream) const;

  // `tensor_map_encode_tiled` may be null. CUDA 12.0 brought it, and headers before that lack its types. Its ints are
  // enumerations, and the map is a CUtensorMap.
  using TensorMapEncodeTiled = CUresult(void* map, int type, cuuint32_t rank, void* address, const cuuint64_t* shape,
                                        const cuuint64_t* strides, const cuuint32_t* box, const cuuint32_t* steps,
                                        int interleave, int swizzle, int l2_promotion, int fill);
  TensorMapEncodeTiled* tensor_map_encode_tiled = nullptr;

  // Returns the version of CUDA: "13.0".
  std::string version_text() const;
  // Returns the error's name: "CUDA_ERROR_ILLEGAL_ADDRESS".
  std::string error_name(CUresult result) const;
  // Returns the error's name and words: "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)".
  std::string error_text(CUresult result) const;
};

// Describes the library alone, without starting the driver: "driver of CUDA 13.0 (/usr/lib/…/libcuda.so.580.159.04)".
// Throws NoDeviceError.
std::string describe_driver(const BackendOptions& options);

// Opens libcuda.so.1 and initialises it. Throws NoDeviceError with what is missing and what to do about it.
std::shared_ptr<const Driver> load_driver(const BackendOptions& options);

}  // namespace warptune::tuner::cuda
