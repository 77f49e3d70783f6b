// The fake driver's streams, events, memory, modules and launches.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string_view>

#include "tests/fakes/fake_cuda_state.h"

// The fake exports the plain name, as every driver does; CUDA 13's header renames it to its second version.
#undef cuEventElapsedTime
#undef cuMemPrefetchAsync

namespace warptune::tuner::fakes {
namespace {

// Done, the error that ended the work, or "not ready" as often as asked for.
CUresult query(const char* function) {
  if (const auto result = answer(function)) return result;
  if (state().ended == CUDA_ERROR_NOT_READY) return CUDA_ERROR_NOT_READY;
  if (state().polls++ < state().control.polls_before_done) return CUDA_ERROR_NOT_READY;
  state().polls = 0;
  return CUDA_SUCCESS;
}

// Whether all of the range lies in one buffer or variable.
bool is_ours(CUdeviceptr address, std::size_t bytes) {
  auto after = state().buffers.upper_bound(address);
  if (after == state().buffers.begin()) return false;
  const auto& [start, memory] = *--after;
  return address - start + bytes <= memory.size();
}

void* pointer(CUdeviceptr address) {
  return reinterpret_cast<void*>(address);  // NOLINT: the fake's device memory is the host's
}

bool is_pinned(const void* address, std::size_t bytes) {
  auto after = state().pinned.upper_bound(address);
  if (after == state().pinned.begin()) return false;
  const auto& [start, memory] = *--after;
  return static_cast<const char*>(address) + bytes <= static_cast<const char*>(start) + memory.size();
}

// A copy of pinned memory is queued; one of pageable memory waits for the work before it.
CUresult copy(const char* function, CUdeviceptr device, void* to, const void* from, std::size_t bytes,
              CUstream stream) {
  const bool to_host = from == pointer(device);
  const bool pinned = is_pinned(to_host ? to : from, bytes);
  if (const auto result = pinned ? answer(function) : answer_after_work(function)) return result;
  if (!is_ours(device, bytes)) return CUDA_ERROR_INVALID_VALUE;
  state().control.copies.push_back({to_host, bytes, pinned, stream});
  std::memmove(to, from, bytes);
  return CUDA_SUCCESS;
}

bool is_managed(CUdeviceptr address) {
  const auto after = state().managed.upper_bound(address);
  return after != state().managed.begin() && address - *std::prev(after) < state().buffers.at(*std::prev(after)).size();
}

// As the driver does: of managed memory only, and only where host and device may both access it.
CUresult prefetch(CUdeviceptr address, std::size_t bytes, bool to_host, bool known_place, CUstream stream) {
  if (const auto result = answer("cuMemPrefetchAsync")) return result;
  if (!state().control.concurrent_managed_access || !known_place) return CUDA_ERROR_INVALID_DEVICE;
  if (bytes == 0 || !is_managed(address) || !is_ours(address, bytes)) return CUDA_ERROR_INVALID_VALUE;
  state().control.prefetches.push_back({address, bytes, to_host, stream, state().control.launches.size()});
  return CUDA_SUCCESS;
}

CUdeviceptr adopt(std::size_t bytes) {
  std::vector<char> memory(bytes);
  const auto address = reinterpret_cast<CUdeviceptr>(memory.data());
  state().buffers[address] = std::move(memory);
  return address;
}

}  // namespace
}  // namespace warptune::tuner::fakes

using namespace warptune::tuner::fakes;

extern "C" {

CUresult cuStreamCreate(CUstream* stream, unsigned) {
  if (const auto result = answer("cuStreamCreate")) return result;
  *stream = create<CUstream_st>();
  ++state().control.open_streams;
  return CUDA_SUCCESS;
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  state().handles.erase(stream);
  --state().control.open_streams;
  return CUDA_SUCCESS;
}

CUresult cuStreamQuery(CUstream) {
  return query("cuStreamQuery");
}

CUresult cuEventCreate(CUevent* event, unsigned) {
  if (const auto result = answer("cuEventCreate")) return result;
  *event = create<CUevent_st>();
  ++state().control.open_events;
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent event) {
  state().handles.erase(event);
  --state().control.open_events;
  return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  event->recorded_in = stream;
  event->at_ms = state().clock_ms;
  return answer("cuEventRecord");
}

CUresult cuEventQuery(CUevent) {
  return query("cuEventQuery");
}

CUresult cuEventElapsedTime(float* ms, CUevent start, CUevent end) {
  *ms = static_cast<float>(end->at_ms - start->at_ms);
  return answer("cuEventElapsedTime");
}

CUresult cuMemAlloc_v2(CUdeviceptr* address, std::size_t bytes) {
  if (const auto result = answer("cuMemAlloc")) return result;
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  if (bytes > state().control.memory_bytes) return CUDA_ERROR_OUT_OF_MEMORY;
  *address = adopt(bytes);
  ++state().control.open_buffers;
  return CUDA_SUCCESS;
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  if (const auto result = answer_after_work("cuMemFree")) return result;
  if (state().buffers.erase(address) == 0) return CUDA_ERROR_INVALID_VALUE;
  --(state().managed.erase(address) > 0 ? state().control.open_managed_buffers : state().control.open_buffers);
  return CUDA_SUCCESS;
}

CUresult cuMemAllocManaged(CUdeviceptr* address, std::size_t bytes, unsigned flags) {
  if (const auto result = answer("cuMemAllocManaged")) return result;
  if (bytes == 0 || flags != CU_MEM_ATTACH_GLOBAL) return CUDA_ERROR_INVALID_VALUE;
  *address = adopt(bytes);
  state().managed.insert(*address);
  ++state().control.open_managed_buffers;
  return CUDA_SUCCESS;
}

#ifdef FAKE_CUDA_WITHOUT_LOCATIONS  // built once more with the first version, as drivers before CUDA 12.2 have it
CUresult cuMemPrefetchAsync(CUdeviceptr address, std::size_t bytes, CUdevice device, CUstream stream) {
  return prefetch(address, bytes, device == CU_DEVICE_CPU, device == CU_DEVICE_CPU || device == 0, stream);
}
#else
CUresult cuMemPrefetchAsync_v2(CUdeviceptr address, std::size_t bytes, CUmemLocation place, unsigned flags,
                               CUstream stream) {
  const bool to_host = static_cast<int>(place.type) == 2;  // CU_MEM_LOCATION_TYPE_HOST, which older headers lack
  const bool known = flags == 0 && (to_host || (place.type == CU_MEM_LOCATION_TYPE_DEVICE && place.id == 0));
  return prefetch(address, bytes, to_host, known, stream);
}
#endif

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  if (const auto result = answer("cuStreamWaitEvent")) return result;
  state().control.waits.push_back({stream, event->recorded_in});
  return CUDA_SUCCESS;
}

#ifndef FAKE_CUDA_WITHOUT_PINNING  // built once more without it
CUresult cuMemHostAlloc(void** address, std::size_t bytes, unsigned flags) {
  if (const auto result = answer("cuMemHostAlloc")) return result;
  if ((flags & ~unsigned{CU_MEMHOSTALLOC_DEVICEMAP}) != 0) return CUDA_ERROR_INVALID_VALUE;
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  std::vector<char> memory(bytes);
  *address = memory.data();
  state().pinned[*address] = std::move(memory);
  ++state().control.open_host_buffers;
  return CUDA_SUCCESS;
}

#endif

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* device, void* host, unsigned flags) {
  if (const auto result = answer("cuMemHostGetDevicePointer")) return result;
  if (flags != 0 || !is_pinned(host, 1)) return CUDA_ERROR_INVALID_VALUE;
  *device = reinterpret_cast<CUdeviceptr>(host);
  return CUDA_SUCCESS;
}

CUresult cuMemFreeHost(void* address) {
  if (const auto result = answer_after_work("cuMemFreeHost")) return result;
  if (state().pinned.erase(address) == 0) return CUDA_ERROR_INVALID_VALUE;
  --state().control.open_host_buffers;
  return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream) {
  return copy("cuMemcpyHtoDAsync", to, pointer(to), from, bytes, stream);
}

CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return copy("cuMemcpyDtoHAsync", from, to, pointer(from), bytes, stream);
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream) {
  if (const auto result = answer("cuMemcpyDtoDAsync")) return result;
  if (!is_ours(to, bytes) || !is_ours(from, bytes)) return CUDA_ERROR_INVALID_VALUE;
  std::memmove(pointer(to), pointer(from), bytes);
  return CUDA_SUCCESS;
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t bytes, CUstream) {
  if (const auto result = answer("cuMemsetD8Async")) return result;
  if (!is_ours(to, bytes)) return CUDA_ERROR_INVALID_VALUE;
  std::memset(pointer(to), value, bytes);
  return CUDA_SUCCESS;
}

// Anything that begins as an ELF file does, holding every kernel and variable but those called "missing".
CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  if (const auto result = answer("cuModuleLoadData")) return result;
  if (std::memcmp(image, "\177ELF", 4) != 0) return CUDA_ERROR_INVALID_IMAGE;
  *module = create<CUmod_st>();
  ++state().control.open_modules;
  return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule module) {
  if (const auto result = answer_after_work("cuModuleUnload")) return result;
  for (const auto& [name, address] : module->globals) state().buffers.erase(address);
  state().handles.erase(module);
  --state().control.open_modules;
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  if (const auto result = answer("cuModuleGetFunction")) return result;
  if (std::string_view(name) == "missing") return CUDA_ERROR_NOT_FOUND;
  auto& slot = module->functions[name];
  if (!slot) slot = std::make_unique<CUfunc_st>(CUfunc_st{name});
  *function = slot.get();
  return CUDA_SUCCESS;
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr* address, std::size_t* bytes, CUmodule module, const char* name) {
  if (const auto result = answer("cuModuleGetGlobal")) return result;
  if (std::string_view(name) == "missing") return CUDA_ERROR_NOT_FOUND;
  *bytes = 64;
  if (!module->globals.contains(name)) module->globals[name] = adopt(*bytes);
  *address = module->globals[name];
  return CUDA_SUCCESS;
}

#ifndef FAKE_CUDA_WITHOUT_TENSOR_MAPS  // built once more without it
CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address,
                                const cuuint64_t* shape, const cuuint64_t* strides, const cuuint32_t* box,
                                const cuuint32_t* steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion l2_promotion, CUtensorMapFloatOOBfill fill) {
  if (const auto result = answer("cuTensorMapEncodeTiled")) return result;
  auto& made = state().control.tensor_maps;
  made.push_back({type,
                  address,
                  {shape, shape + rank},
                  {strides, strides + rank - 1},
                  {box, box + rank},
                  {steps, steps + rank},
                  interleave,
                  swizzle,
                  l2_promotion,
                  fill});
  *reinterpret_cast<unsigned char*>(map) = static_cast<unsigned char>(made.size());
  return CUDA_SUCCESS;
}
#endif
}
