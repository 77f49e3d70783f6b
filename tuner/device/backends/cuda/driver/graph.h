// Declares CUDA graphs of recorded launches.
#pragma once

#include <functional>
#include <memory>

#include "tuner/device/backends/cuda/driver/context.h"

namespace warptune::tuner::cuda {

// Holds launches that are recorded once and queued again by a single call. Between kernels of some microseconds the
// device then waits for its own scheduler only, and not for a call of the host for each kernel.
class Graph {
 public:
  // Records what `work` queues on the context's stream, instead of running it. Returns nothing if the driver cannot
  // record it (a kernel that launches others, say). Throws what `work` throws, where it loses the context.
  static std::unique_ptr<Graph> record(Context& context, const std::function<void()>& work);

  Graph(Context& context, CUgraphExec executable) : context_(context), executable_(executable) {}
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  void launch();

 private:
  Context& context_;
  CUgraphExec executable_;
};

}  // namespace warptune::tuner::cuda
