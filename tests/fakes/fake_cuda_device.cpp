// The fake driver's start, its devices and contexts.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/fakes/fake_cuda_state.h"

// The fake exports the plain name, as every driver does.
#undef cuCtxGetDevice

namespace warptune::tuner::fakes {
namespace {

std::unique_ptr<State>& holder() {
  static auto held = std::make_unique<State>();
  return held;
}

// Each process that starts the driver adds a byte to the file $FAKE_CUDA_COUNT.
bool count_process() {
  const char* path = std::getenv("FAKE_CUDA_COUNT");
  std::FILE* file = path ? std::fopen(path, "a") : nullptr;
  if (!file) return false;
  std::fputc('.', file);
  std::fclose(file);
  return true;
}

void read_environment(FakeCuda& control) {
  if (const char* devices = std::getenv("FAKE_CUDA_DEVICES")) control.devices = std::atoi(devices);
  int at = 0, result = 0;
  if (const char* fault = std::getenv("FAKE_CUDA_FAULT"); fault && std::sscanf(fault, "%d:%d", &at, &result) == 2) {
    control.fault_at = at;
    control.fault = static_cast<CUresult>(result);
  }
}

// Whether it can be opened once only and was.
bool is_gone(int device) {
  const char* once = std::getenv("FAKE_CUDA_ONCE");
  if (!once || std::atoi(once) != device || !std::strchr(once, ':')) return false;
  std::FILE* file = std::fopen(std::strchr(once, ':') + 1, "wx");
  if (file) std::fclose(file);
  return file == nullptr;
}

bool exists(int device) {
  return device >= 0 && device < state().control.devices;
}

const std::map<CUdevice_attribute, int>& attributes() {
  static const std::map<CUdevice_attribute, int> all = {
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, max_threads_per_block},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 2147483647},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535},
      {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535},
      {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 65536},
      {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 48 * 1024},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, max_dynamic_shared_bytes},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 228 * 1024},
      {CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, 64 * 1024},
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, max_threads_per_multiprocessor},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 32},
      {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 132},
      {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
      {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1980000},
      {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 3201000},
      {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 6144},
      {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 60 << 20},
  };
  return all;
}

}  // namespace

State& state() {
  return *holder();
}

CUresult answer(const char* function) {
  const auto& refusals = state().control.refusals;
  if (const auto refusal = refusals.find(function); refusal != refusals.end()) return refusal->second;
  const CUresult ended = state().ended;
  return ended == CUDA_ERROR_NOT_READY ? CUDA_SUCCESS : ended;
}

CUresult answer_after_work(const char* function) {
  if (state().ended == CUDA_ERROR_NOT_READY) ++state().control.blocked_calls;
  return answer(function);
}

}  // namespace warptune::tuner::fakes

using namespace warptune::tuner::fakes;

extern "C" {

FakeCuda* fake_cuda_control() {
  return &state().control;
}

void fake_cuda_on_launch(void (*told)(const char* kernel, void** arguments, void* stream)) {
  state().control.on_launch = [told](const FakeLaunch& launch) {
    told(launch.kernel.c_str(), launch.arguments, launch.stream);
  };
}

void fake_cuda_reset() {
  holder() = std::make_unique<State>();
}

CUresult cuInit(unsigned) {
  static const bool counted = count_process();
  static_cast<void>(counted);
  read_environment(state().control);
  return state().control.init;
}

CUresult cuDriverGetVersion(int* version) {
  *version = state().control.version;
  return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult result, const char** name) {
  static const std::map<int, const char*> names = {
      {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"},
      {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
      {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE"},
      {CUDA_ERROR_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE"},
      {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND"},
      {CUDA_ERROR_NOT_READY, "CUDA_ERROR_NOT_READY"},
      {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS"},
      {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
      {CUDA_ERROR_LAUNCH_TIMEOUT, "CUDA_ERROR_LAUNCH_TIMEOUT"},
      {CUDA_ERROR_MISALIGNED_ADDRESS, "CUDA_ERROR_MISALIGNED_ADDRESS"},
      {CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED"},
      {CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"},
      {CUDA_ERROR_UNKNOWN, "CUDA_ERROR_UNKNOWN"},
  };
  const auto found = names.find(result);
  *name = found == names.end() ? nullptr : found->second;
  return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult, const char** words) {
  *words = "said the fake driver";
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
  *count = state().control.devices;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  *device = ordinal;
  return exists(ordinal) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceGetName(char* text, int bytes, CUdevice) {
  std::snprintf(text, static_cast<std::size_t>(bytes), "Fake GPU");
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice) {
  const int capability = state().control.compute_capability;
  if (which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) return *value = capability / 10, CUDA_SUCCESS;
  if (which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR) return *value = capability % 10, CUDA_SUCCESS;
  if (which == CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY) return *value = state().control.managed_memory, CUDA_SUCCESS;
  if (which == CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS)
    return *value = state().control.concurrent_managed_access, CUDA_SUCCESS;
  const auto found = attributes().find(which);
  if (found == attributes().end()) return CUDA_ERROR_INVALID_VALUE;
  *value = found->second;
  return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice) {
  *bytes = state().control.memory_bytes;
  return CUDA_SUCCESS;
}

#ifndef FAKE_CUDA_OLD  // built once more without it, as a driver that is too old
CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device) {
  for (int i = 0; i < 16; ++i) uuid->bytes[i] = static_cast<char>(0xf0 + i);
  uuid->bytes[15] = static_cast<char>(device);
  return CUDA_SUCCESS;
}
#endif

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  if (const auto result = answer("cuDevicePrimaryCtxRetain")) return result;
  if (is_gone(device)) return CUDA_ERROR_DEVICE_UNAVAILABLE;
  *context = &state().context;
  ++state().control.open_contexts;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice) {
  if (const auto result = answer_after_work("cuDevicePrimaryCtxRelease")) return result;
  --state().control.open_contexts;
  return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent_v2(CUcontext) {
  ++state().control.current_depth;
  return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent_v2(CUcontext* context) {
  *context = &state().context;
  --state().control.current_depth;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  *context = state().control.current_depth > 0 ? &state().context : nullptr;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice* device) {
  *device = 0;
  return state().control.current_depth > 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}
}
