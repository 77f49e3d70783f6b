// The control of the fake CUDA driver: a libcuda.so.1 whose device is plain host memory, with faults on demand.
//
// A test opens the library by its path, finds `fake_cuda_control` in it, and changes what the pointer leads to. A
// process that cannot (a worker) is told through the environment, read by cuInit:
//   FAKE_CUDA_DEVICES=2        how many devices there are
//   FAKE_CUDA_FAULT=3:700      how the third launch ends: a CUresult; 600 (not ready) is a kernel that never ends
//   FAKE_CUDA_ONCE=1:/some/file   device 1 can be opened once by anybody, for which the file stands, and never again
// A kernel whose name ends in __fault_N ends with the CUresult N, too (fake_nvrtc.cpp makes such names); __fault_11 is
// a driver that crashes.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace warptune::tuner::fakes {

struct FakeLaunch {
  std::string kernel;
  unsigned grid[3], block[3], shared_bytes;
  void** arguments;  // valid while the launch is made
  CUstream stream;
  std::map<int, std::vector<int>> attributes = {};  // by CUlaunchAttributeID
};

// What a kernel was told by cuFuncSetAttribute.
struct FakeSetting {
  std::string kernel;
  int attribute, value;
};

struct FakeCopy {
  bool to_host;
  std::size_t bytes;
  bool pinned;  // the host's memory
  CUstream stream;
};

// Pages of managed memory on their way.
struct FakePrefetch {
  CUdeviceptr address;
  std::size_t bytes;
  bool to_host;
  CUstream stream;
  std::size_t launches_before;  // how many launches there had been
};

// One stream waits for what another had when it recorded the event.
struct FakeWait {
  CUstream waiting, waited_for;
};

// What cuTensorMapEncodeTiled was asked for.
struct FakeTensorMap {
  CUtensorMapDataType type;
  void* address;
  std::vector<cuuint64_t> shape, strides;
  std::vector<cuuint32_t> box, steps;
  CUtensorMapInterleave interleave;
  CUtensorMapSwizzle swizzle;
  CUtensorMapL2promotion l2_promotion;
  CUtensorMapFloatOOBfill fill;
};

struct FakeCuda {
  // What the machine is like.
  CUresult init = CUDA_SUCCESS;
  int devices = 1;
  int compute_capability = 90;
  int version = 13000;
  std::size_t memory_bytes = std::size_t{1} << 30;
  bool managed_memory = true, concurrent_managed_access = true;

  // What work does.
  double launch_ms = 0.25;    // how far a launch moves the stream's clock
  int polls_before_done = 0;  // how often a query answers "not ready" before it answers "done"
  std::function<void(const FakeLaunch&)> on_launch;

  // Faults, counted in launches from now: the first is 1, 0 is never.
  int fault_at = 0;
  CUresult fault = CUDA_ERROR_ILLEGAL_ADDRESS;  // how the work ends; CUDA_ERROR_NOT_READY: never
  std::map<std::string, CUresult> refusals;     // by function ("cuLaunchKernel"): what it answers instead of working

  // What was seen.
  std::vector<std::string> launches;  // by kernel, those of graphs too
  std::vector<FakeCopy> copies;       // between host and device
  std::vector<FakePrefetch> prefetches;
  std::vector<FakeWait> waits;
  std::vector<FakeTensorMap> tensor_maps;  // a made map's first byte is its number here, from 1
  std::vector<FakeSetting> settings;
  int graph_launches = 0;
  int open_graphs = 0;  // recorded ones and executable ones
  int open_contexts = 0, open_streams = 0, open_events = 0, open_modules = 0, open_buffers = 0, open_host_buffers = 0,
      open_managed_buffers = 0;
  int current_depth = 0;  // contexts pushed and not popped
  // Calls that would have waited for ever, because a kernel that never ends was running.
  int blocked_calls = 0;
};

}  // namespace warptune::tuner::fakes

extern "C" {
// The state, shared by all who open this library in a process.
warptune::tuner::fakes::FakeCuda* fake_cuda_control();
// The same as `control->on_launch`, for who has no std::function (ctypes).
void fake_cuda_on_launch(void (*told)(const char* kernel, void** arguments, void* stream));
// As freshly loaded: nothing is open, no work is queued, no fault has happened.
void fake_cuda_reset();
}
