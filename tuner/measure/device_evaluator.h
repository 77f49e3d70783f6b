// Declares the evaluator that compiles, verifies and measures on a device of this process.
#pragma once

#include <chrono>
#include <deque>
#include <future>
#include <map>
#include <memory>
#include <string>

#include "search/space/search_space.h"
#include "tuner/device/backend.h"
#include "tuner/measure/cache/cached_compiler.h"
#include "tuner/measure/compilation/compile_pool.h"
#include "tuner/measure/evaluator.h"
#include "tuner/measure/evaluator_options.h"
#include "tuner/measure/measurer.h"
#include "tuner/system/clock.h"

namespace warptune::tuner {

// Returns the device's compiler behind the cache. Throws NoDeviceError.
std::unique_ptr<CachedCompiler> cached_compiler(const DeviceInfo& device, const EvaluatorOptions& options);

// Compiles configurations ahead on a pool of threads, and verifies and measures them one at a time on a device in this
// process. Trials come back in the order of submission, which keeps a session's decisions repeatable.
class DeviceEvaluator : public Evaluator {
 public:
  // Opens the device, fills the data and runs the reference. Throws NoDeviceError, WorkloadError. The template and the
  // space must outlive the evaluator.
  DeviceEvaluator(const KernelTemplate& kernel, const search::SearchSpace& space, search::NamedValues constants,
                  const DeviceInfo& device, EvaluatorOptions options);
  ~DeviceEvaluator() override;

  const DeviceInfo& device() const override { return info_; }
  const std::vector<search::ExpectedOutput>& expected_outputs() const { return measurer_->expected_outputs(); }
  std::size_t capacity() const override { return pool_->threads() + 2; }
  void submit(const Evaluation& evaluation) override;
  search::Trial next() override;
  bool wait(double seconds) override;
  void race_against(const Rivals& rivals) override { measurer_->race_against(rivals); }
  std::size_t cancel() override;
  double now_s() const override;

 private:
  struct Compiled {
    CompileResult result;
    double compile_ms = 0;
  };
  struct Pending {
    Evaluation evaluation;
    search::NamedValues scope;
    std::shared_future<Compiled> compiled;
    std::shared_ptr<std::atomic<bool>> begun;
  };

  const KernelTemplate& kernel_;
  const search::SearchSpace& space_;
  search::NamedValues constants_;
  DeviceInfo info_;
  EvaluatorOptions options_;
  const double start_s_ = steady_s();
  std::unique_ptr<CachedCompiler> compiler_;
  std::unique_ptr<Measurer> measurer_;
  std::unique_ptr<CompilePool> pool_;
  std::deque<Pending> pending_;
  std::map<std::string, std::shared_future<Compiled>>
      finalists_;  // by configuration, for a finalist is compiled once and measured often
};

}  // namespace warptune::tuner
