// What the parts of the fake driver share.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/fakes/fake_cuda.h"

// The driver's opaque handles, as the fake fills them.
struct CUstream_st {};
struct CUctx_st {};
struct CUevent_st {
  double at_ms = 0;
  CUstream recorded_in = nullptr;
};
struct CUfunc_st {
  std::string name;
  int dynamic_shared_limit = 48 * 1024;
};
struct CUgraph_st {
  std::vector<std::string> kernels;  // recorded, in order
};
struct CUgraphExec_st {
  std::vector<std::string> kernels;
};
struct CUmod_st {
  std::map<std::string, std::unique_ptr<CUfunc_st>> functions;
  std::map<std::string, CUdeviceptr> globals;
};

namespace warptune::tuner::fakes {

// Limits of the fake device, those of a compute capability 9.0.
inline constexpr int max_threads_per_block = 1024;
inline constexpr int max_threads_per_multiprocessor = 2048;
inline constexpr int max_dynamic_shared_bytes = 227 * 1024;

struct State {
  FakeCuda control;
  CUctx_st context;
  double clock_ms = 0;            // of the stream: where the work queued so far ends
  CUresult ended = CUDA_SUCCESS;  // the error that lost the context; CUDA_ERROR_NOT_READY while a kernel hangs
  int polls = 0;
  bool recording = false;  // launches go into `recorded` instead of running
  std::vector<std::string> recorded;
  std::map<CUdeviceptr, std::vector<char>> buffers;
  std::map<const void*, std::vector<char>> pinned;
  std::set<CUdeviceptr> managed;                         // those of the buffers
  std::map<const void*, std::shared_ptr<void>> handles;  // owned here: after a loss nobody destroys them
};

State& state();

template <typename Handle>
Handle* create() {
  auto made = std::make_shared<Handle>();
  state().handles[made.get()] = made;
  return made.get();
}

// What any call about work answers before it does anything: a refusal asked for, or the context's sticky error.
CUresult answer(const char* function);
// The same of a call that waits for queued work.
CUresult answer_after_work(const char* function);

}  // namespace warptune::tuner::fakes
