// What launching through warptune::runtime costs: runtime_bench TEMPLATES [LIBRARY_FOLDER]. Ends with status 1 if the
// bound on a launch is not kept.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "bench/runtime/plain_launch.h"
#include "tuner/library/runtime/runtime.h"

namespace warptune::tuner::bench {
namespace {

constexpr double bound_ns = 1000;
constexpr std::int64_t size = 1024;  // so small that the device is never what is waited for

// Fewer than the launches that a driver queues before it makes the caller wait (about a thousand).
constexpr int batch = 400;
constexpr int rounds = 200;

double elapsed_us(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

struct Steady {
  std::vector<double> plain_ns, runtime_ns, difference_ns;
};

// Batches alternate, so that a change of clocks or load meets both alike.
Steady measure(Application& application, const std::function<void()>& plain, const std::function<void()>& runtime) {
  Steady steady;
  const auto one = [&](const std::function<void()>& launch) {
    const double us = elapsed_us([&] {
      for (int i = 0; i < batch; ++i) launch();
    });
    application.wait();
    return us * 1e3 / batch;
  };
  one(plain);
  one(runtime);
  for (int round = 0; round < rounds; ++round) {
    steady.plain_ns.push_back(one(plain));
    steady.runtime_ns.push_back(one(runtime));
    steady.difference_ns.push_back(steady.runtime_ns.back() - steady.plain_ns.back());
  }
  return steady;
}

class Launches {
 public:
  Launches(Application& application, std::filesystem::path manifest, const BackendOptions& options)
      : application_(application), manifest_(std::move(manifest)), backend_(options) {
    options_.library_directories = options.library_directories;
    options_.cache_folder = std::filesystem::temp_directory_path() / fmt::format("warptune-bench-{}", getpid());
    for (CUdeviceptr& buffer : buffers_) buffer = application.allocate(4 * size);
  }
  ~Launches() {
    std::error_code ignored;
    std::filesystem::remove_all(options_.cache_folder, ignored);
  }
  Launches(const Launches&) = delete;
  Launches& operator=(const Launches&) = delete;

  // Load, choose, compile or read, plan and launch, in a new runtime.
  double first_ms() {
    return elapsed_us([&] {
             const runtime::Runtime fresh(options_);
             launch(fresh.load(manifest_), size);
             application_.wait();
           }) /
           1e3;
  }

  void report_first() {
    fmt::print("first launch, compiled                {:9.2f} ms\n", first_ms());
    fmt::print("first launch, code from the folder    {:9.2f} ms\n", first_ms());
    const runtime::Runtime fresh(options_);
    const runtime::Kernel kernel = fresh.load(manifest_);
    launch(kernel, size);
    fmt::print("first launch of another size          {:9.2f} ms\n",
               elapsed_us([&] { launch(kernel, size - 1); }) / 1e3);
  }

  bool report_steady() {
    const runtime::Runtime fresh(options_);
    const runtime::Kernel kernel = fresh.load(manifest_);
    PlainLaunch plain(application_, manifest_, size, buffers_, backend_);
    const Steady steady = measure(
        application_, [&] { plain.launch(); }, [&] { launch(kernel, size); });
    const double difference = median(steady.difference_ns);
    fmt::print("cuLaunchKernel                        {:9.0f} ns\n", median(steady.plain_ns));
    fmt::print("kernel.launch                         {:9.0f} ns\n", median(steady.runtime_ns));
    fmt::print("difference (bound {:.0f})               {:9.0f} ns  {}\n", bound_ns, difference,
               difference <= bound_ns ? "kept" : "NOT KEPT");
    return difference <= bound_ns;
  }

 private:
  void launch(const runtime::Kernel& kernel, std::int64_t count) {
    kernel.launch(application_.stream(), {{"SIZE", count}}, buffers_[0], buffers_[1], buffers_[2]);
  }

  Application& application_;
  std::filesystem::path manifest_;
  BackendOptions backend_;
  runtime::Options options_;
  std::array<CUdeviceptr, 3> buffers_{};
};

int run(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: runtime_bench TEMPLATES [LIBRARY_FOLDER]\n");
    return 2;
  }
  BackendOptions options;
  if (argc > 2) options.library_directories = {argv[2]};
  Application application(options);
  fmt::print("{}, driver CUDA {}; vector_add of {} floats, medians of {} batches of {}\n", application.device().name,
             application.driver().version_text(), size, rounds, batch);
  Launches launches(application, std::filesystem::path(argv[1]) / "vector_add", options);
  launches.report_first();
  return launches.report_steady() ? 0 : 1;
}

}  // namespace
}  // namespace warptune::tuner::bench

int main(int argc, char** argv) {
  try {
    return warptune::tuner::bench::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
