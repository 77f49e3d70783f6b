// The fake driver's launches: by themselves, with attributes, and recorded as graphs.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <utility>

#include "tests/fakes/fake_cuda_state.h"

namespace warptune::tuner::fakes {
namespace {

bool launchable(const FakeLaunch& launch, int dynamic_shared_limit) {
  const auto& [grid, block] = std::pair(launch.grid, launch.block);
  const bool sides = grid[0] * grid[1] * grid[2] > 0 && grid[1] <= 65535 && grid[2] <= 65535 && block[2] <= 64;
  const unsigned threads = block[0] * block[1] * block[2];
  return sides && threads > 0 && threads <= unsigned{max_threads_per_block} &&
         launch.shared_bytes <= static_cast<unsigned>(dynamic_shared_limit);
}

// Nothing that is launched here computes; but whoever compares results wants a proof that they are right, which only
// the comparing kernel can give (tuner/measure/memory/support_comparison.cu): its sixth argument is the number of
// elements, its thirteenth the secret, its last the report, whose seventh number is the proof. The grid has a row a
// run.
void prove_right(const FakeLaunch& launch) {
  if (launch.kernel.rfind("compare<", 0) != 0 || launch.arguments == nullptr) return;
  const auto argument = [&](int i) { return *static_cast<const unsigned long long*>(launch.arguments[i]); };
  static_cast<unsigned long long*>(reinterpret_cast<void*>(argument(13)))[6] =
      argument(12) * launch.grid[1] * argument(5) * argument(5);
}

void run(const FakeLaunch& launch) {
  FakeCuda& control = state().control;
  control.launches.push_back(launch.kernel);
  state().clock_ms += control.launch_ms;
  if (control.on_launch) control.on_launch(launch);
  prove_right(launch);
  if (control.fault_at > 0 && --control.fault_at == 0) state().ended = control.fault;
  const auto fault = launch.kernel.rfind("__fault_");
  if (fault == std::string::npos) return;
  const int code = std::atoi(launch.kernel.c_str() + fault + 8);
  if (code == SIGSEGV) std::raise(SIGSEGV);
  state().ended = static_cast<CUresult>(code);
}

CUresult launch(const FakeLaunch& made, CUfunction function) {
  if (!launchable(made, function->dynamic_shared_limit)) return CUDA_ERROR_INVALID_VALUE;
  if (state().recording)
    state().recorded.push_back(function->name);
  else
    run(made);
  return CUDA_SUCCESS;
}

}  // namespace
}  // namespace warptune::tuner::fakes

using namespace warptune::tuner::fakes;

extern "C" {
CUresult cuFuncGetAttribute(int* value, CUfunction_attribute which, CUfunction function) {
  if (const auto result = answer("cuFuncGetAttribute")) return result;
  const std::map<CUfunction_attribute, int> all = {
      {CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, max_threads_per_block},
      {CU_FUNC_ATTRIBUTE_NUM_REGS, 40},
      {CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, 16},
      {CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 512},
      {CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, function->dynamic_shared_limit},
  };
  const auto found = all.find(which);
  if (found == all.end()) return CUDA_ERROR_INVALID_VALUE;
  *value = found->second;
  return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute which, int value) {
  if (const auto result = answer("cuFuncSetAttribute")) return result;
  state().control.settings.push_back({function->name, which, value});
  if (which == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT)
    return -1 <= value && value <= 100 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  if (which == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED) return CUDA_SUCCESS;
  if (which != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || value > max_dynamic_shared_bytes)
    return CUDA_ERROR_INVALID_VALUE;
  function->dynamic_shared_limit = value;
  return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction, int threads, std::size_t shared_bytes) {
  if (const auto result = answer("cuOccupancyMaxActiveBlocksPerMultiprocessor")) return result;
  const int by_threads = max_threads_per_multiprocessor / threads;
  const int by_shared = static_cast<int>(static_cast<std::size_t>(228 * 1024) / (shared_bytes + 1024));
  *blocks = std::min({by_threads, by_shared, 32});
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void** arguments,
                        void**) {
  if (const auto result = answer("cuLaunchKernel")) return result;
  return launch(
      {function->name, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, arguments, stream},
      function);
}

#ifndef FAKE_CUDA_WITHOUT_TENSOR_MAPS  // built once more without it, as drivers before CUDA 11.8 are
CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** arguments, void**) {
  if (const auto result = answer("cuLaunchKernelEx")) return result;
  FakeLaunch made{function->name,
                  {config->gridDimX, config->gridDimY, config->gridDimZ},
                  {config->blockDimX, config->blockDimY, config->blockDimZ},
                  config->sharedMemBytes,
                  arguments,
                  config->hStream};
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const auto& [id, pad, value] = config->attrs[i];
    const bool dimension = id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION || static_cast<int>(id) == 11;
    made.attributes[static_cast<int>(id)] =
        dimension ? std::vector{static_cast<int>(value.clusterDim.x), static_cast<int>(value.clusterDim.y),
                                static_cast<int>(value.clusterDim.z)}
                  : std::vector{value.cooperative};
  }
  return launch(made, function);
}
#endif

CUresult cuStreamBeginCapture_v2(CUstream, CUstreamCaptureMode) {
  if (const auto result = answer("cuStreamBeginCapture")) return result;
  state().recording = true;
  state().recorded.clear();
  return CUDA_SUCCESS;
}

CUresult cuStreamEndCapture(CUstream, CUgraph* graph) {
  state().recording = false;
  if (const auto result = answer("cuStreamEndCapture")) return result;
  *graph = create<CUgraph_st>();
  (*graph)->kernels = state().recorded;
  ++state().control.open_graphs;
  return CUDA_SUCCESS;
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec* executable, CUgraph graph, unsigned long long) {
  if (const auto result = answer("cuGraphInstantiate")) return result;
  *executable = create<CUgraphExec_st>();
  (*executable)->kernels = graph->kernels;
  ++state().control.open_graphs;
  return CUDA_SUCCESS;
}

CUresult cuGraphLaunch(CUgraphExec executable, CUstream) {
  if (const auto result = answer("cuGraphLaunch")) return result;
  ++state().control.graph_launches;
  for (const auto& kernel : executable->kernels) run({kernel, {1, 1, 1}, {1, 1, 1}, 0, nullptr, nullptr, {}});
  return CUDA_SUCCESS;
}

CUresult cuGraphExecDestroy(CUgraphExec executable) {
  state().handles.erase(executable);
  --state().control.open_graphs;
  return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph graph) {
  state().handles.erase(graph);
  --state().control.open_graphs;
  return CUDA_SUCCESS;
}
}
