// Records an event before and after each sample, and records short launches as a graph by capturing the stream in use.
#include "tuner/device/backends/cuda/driver/timing.h"

#include <fmt/format.h>

namespace warptune::tuner::cuda {

Event& Timer::event(std::size_t index) {
  while (events_.size() <= index) events_.emplace_back(context_);
  return events_[index];
}

std::vector<double> Timer::sample_ms(const Timing& timing, const std::function<void()>& meanwhile) {
  const auto samples = static_cast<std::size_t>(timing.samples);
  event(2 * samples);  // made before anything is queued, for that takes time
  const bool recorded = timing.short_launches || timing.only_as_graph;
  const auto graph = recorded ? Graph::record(context_, timing.work) : nullptr;
  if (timing.only_as_graph && !graph)
    throw DeviceError(search::Outcome::launch_error, "NOT_RECORDED",
                      fmt::format("recording a run's launches as a CUDA graph on {} failed: the driver cannot record "
                                  "one of its kernels; measure it with --as stream, or without --as",
                                  context_.label()));
  const auto work = [&] { graph ? graph->launch() : timing.work(); };

  if (timing.lead) timing.lead();
  if (graph) {
    if (timing.prepare) timing.prepare();
    work();  // a graph's first launch carries it to the device
  }
  for (std::size_t i = 0; i < samples; ++i) {
    if (timing.prepare) timing.prepare();
    event(2 * i).record();
    work();
    event(2 * i + 1).record();
    if (timing.check) timing.check();
  }
  meanwhile();
  std::vector<double> taken;
  for (std::size_t i = 0; i < samples; ++i) {
    event(2 * i + 1).wait();  // one by one, so that the time-out is that of one sample
    taken.push_back(event(2 * i + 1).since_ms(event(2 * i)));
  }
  return taken;
}

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
