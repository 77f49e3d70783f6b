#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "harness.h"

namespace vendor {

namespace {

// As in Warptune's policy: shorter runs are repeated within a sample; runs shorter than that go into a graph.
constexpr double min_sample_ms = 0.05, graph_below_ms = 0.05;
// Enough for the median to stand, and for the clock and the power of it to be seen from outside.
constexpr double total_ms = 300;
constexpr int fewest_samples = 21, most_samples = 500, most_runs = 1000;
int wanted_samples = 0;  // instead of these; 0: nobody said

// Keeps the device busy while the host queues what comes next.
__global__ void hold(long long nanoseconds) {
  long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - begin < nanoseconds);
}

void overwrite(const Outputs& outputs) {
  for (const auto& [to, bytes, from] : outputs) {
    if (from)
      check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream()), "restoring what a run changes");
    else
      check(cudaMemsetAsync(to, 0xff, bytes, stream()), "overwriting an output");
  }
}

// Times single samples of a work.
class Events {
 public:
  explicit Events(const Outputs& outputs) : outputs_(outputs) {
    check(cudaEventCreate(&begin_), "cudaEventCreate");
    check(cudaEventCreate(&end_), "cudaEventCreate");
  }
  ~Events() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  double around(const std::function<void()>& work) {
    hold<<<1, 1, 0, stream()>>>(held_ns_);
    const auto began = std::chrono::steady_clock::now();
    overwrite(outputs_);
    check(cudaEventRecord(begin_, stream()), "cudaEventRecord");
    work();
    check(cudaEventRecord(end_, stream()), "cudaEventRecord");
    hold_longer_than(std::chrono::steady_clock::now() - began);
    check(cudaEventSynchronize(end_), "a timed run");
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin_, end_), "cudaEventElapsedTime");
    return ms;
  }

 private:
  // A device that waits for the host within a sample would be measured waiting. The first samples, which load code and
  // take longest, are not counted.
  void hold_longer_than(std::chrono::nanoseconds queueing) {
    held_ns_ = std::clamp<long long>(2 * queueing.count(), held_ns_, most_held_ns);
  }

  static constexpr long long most_held_ns = 2'000'000;
  const Outputs& outputs_;
  long long held_ns_ = 100'000;
  cudaEvent_t begin_, end_;
};

// `work` so many times over, recorded once.
class Graph {
 public:
  Graph(const std::function<void()>& work, int runs) {
    cudaGraph_t graph;
    check(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture");
    for (int i = 0; i < runs; ++i) work();
    check(cudaStreamEndCapture(stream(), &graph), "recording a run into a graph");
    check(cudaGraphInstantiate(&executable_, graph, 0), "cudaGraphInstantiate");
    cudaGraphDestroy(graph);
    check(cudaGraphUpload(executable_, stream()), "cudaGraphUpload");
  }
  ~Graph() { cudaGraphExecDestroy(executable_); }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  void launch() const { check(cudaGraphLaunch(executable_, stream()), "cudaGraphLaunch"); }

 private:
  cudaGraphExec_t executable_ = nullptr;
};

double median(std::vector<double> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

double median_of_samples(const std::function<void()>& sample, const Outputs& outputs) {
  constexpr int warm_up = 3;
  Events events(outputs);
  for (int i = 0; i < warm_up; ++i) events.around(sample);
  std::vector<double> times;
  double sum_ms = 0;
  const auto enough = [&] {
    const int taken = static_cast<int>(times.size());
    if (wanted_samples > 0) return taken >= wanted_samples;
    return taken >= fewest_samples && (sum_ms >= total_ms || taken >= most_samples);
  };
  while (!enough()) sum_ms += times.emplace_back(events.around(sample));
  return median(std::move(times));
}

}  // namespace

void check(int status, const char* what) {
  if (status == 0) return;
  std::fprintf(stderr, "vendor: %s failed with code %d\n", what, status);
  std::exit(1);
}

cudaStream_t stream() {
  static const cudaStream_t the_stream = [] {
    cudaStream_t created = nullptr;
    check(cudaStreamCreateWithFlags(&created, cudaStreamNonBlocking), "cudaStreamCreate");
    return created;
  }();
  return the_stream;
}

void take_samples(int samples) {
  wanted_samples = samples;
}

double median_ms(const std::function<void()>& work, const Outputs& outputs) {
  Events events(outputs);
  double run_ms = 0;
  for (int i = 0; i < 3; ++i) run_ms = events.around(work);  // the first ones load code
  const int runs = static_cast<int>(std::clamp(min_sample_ms / std::max(run_ms, 1e-6) + 1, 1.0, double{most_runs}));
  if (run_ms >= graph_below_ms) return median_of_samples(work, outputs);
  const Graph graph(work, runs);
  return median_of_samples([&] { graph.launch(); }, outputs) / runs;
}

}  // namespace vendor
