// Records graphs by capturing the stream in use.
#include "tuner/device/backends/cuda/driver/graph.h"

namespace warptune::tuner::cuda {
namespace {

// The stream records from here until end(), at the latest until the scope ends.
class Recording {
 public:
  explicit Recording(Context& context) : context_(context) {
    // The capture is relaxed, so that it does not restrict what other threads of the application do meanwhile.
    recording_ =
        context_.driver().stream_begin_capture(context_.stream(), CU_STREAM_CAPTURE_MODE_RELAXED) == CUDA_SUCCESS;
  }
  ~Recording() {
    end();
    if (graph_) context_.driver().graph_destroy(graph_);
  }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  bool recording() const { return recording_; }
  // Returns the graph, which the recording still owns, or nullptr if the recording was spoilt.
  CUgraph end() {
    if (recording_ && context_.driver().stream_end_capture(context_.stream(), &graph_) != CUDA_SUCCESS)
      graph_ = nullptr;
    recording_ = false;
    return graph_;
  }

 private:
  Context& context_;
  bool recording_ = false;
  CUgraph graph_ = nullptr;
};

}  // namespace

std::unique_ptr<Graph> Graph::record(Context& context, const std::function<void()>& work) {
  const auto current = context.enter();
  Recording recording(context);
  if (!recording.recording()) return nullptr;
  // Some work that cannot be recorded (programmatic launches before CUDA 12.3) can be launched. If it cannot be
  // launched either, the launch throws.
  try {
    work();
  } catch (const DeviceError& error) {
    if (error.sticky()) throw;
    return nullptr;
  }
  const CUgraph graph = recording.end();
  CUgraphExec executable = nullptr;
  if (!graph || context.driver().graph_instantiate(&executable, graph, 0) != CUDA_SUCCESS) return nullptr;
  return std::make_unique<Graph>(context, executable);
}

Graph::~Graph() {
  context_.release([this] { context_.driver().graph_exec_destroy(executable_); });
}

void Graph::launch() {
  const auto current = context_.enter();
  context_.check(context_.driver().graph_launch(executable_, context_.stream()), Step::launch,
                 [] { return "launching a graph of recorded kernels"; });
}

}  // namespace warptune::tuner::cuda
