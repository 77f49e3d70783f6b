#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <future>
#include <memory>

#include "tuner/api/array_set.h"
#include "tuner/measure/compile_pool.h"
#include "tuner/measure/evaluator.h"

namespace warptune {

// Turns configurations into trials by calling the problem's launcher: what DeviceEvaluator is to a kernel template.
// Compiles ahead on a pool of threads, and gives trials in the order of submission.
class FunctionEvaluator : public Evaluator {
 public:
  // Opens the device, uploads the arrays, calls the reference. Throws NoDeviceError, DeviceError. The problem, the
  // space and the compiler must outlive the evaluator.
  FunctionEvaluator(const Tuner::Problem& problem, const SearchSpace& space, NamedValues constants,
                    const DeviceInfo& device, Compiler& compiler, MeasurePolicy policy);
  ~FunctionEvaluator() override;

  const DeviceInfo& device() const override { return info_; }
  std::size_t capacity() const override { return pool_->threads() + 2; }
  void submit(const Evaluation& evaluation) override;
  Trial next() override;
  void race_against(double incumbent_ms) override { incumbent_ms_ = incumbent_ms; }
  std::size_t cancel() override;
  double now_s() const override;

 private:
  struct Compiled {
    std::vector<MachineCode> code;  // of every source, unless one failed
    CompileResult failure;
    double compile_ms = 0;
  };
  struct Pending {
    Evaluation evaluation;
    NamedValues scope;
    std::future<Compiled> compiled;
    std::shared_ptr<std::atomic<bool>> begun;
  };

  Compiled compile(const NamedValues& scope);
  void open();
  void measure(const Compiled& compiled, const Pending& pending, Trial& trial);
  void verify_and_sample(const std::function<void()>& run, const Pending& pending, Trial& trial);
  // One verified run; what is wrong with it, or nothing.
  std::string checked(const std::function<void()>& run);
  Measurement sampled(const std::function<void()>& run, Purpose purpose);
  void lose(const DeviceError& cause);

  const Tuner::Problem& problem_;
  const SearchSpace& space_;
  NamedValues constants_;
  DeviceInfo info_;
  Compiler& compiler_;
  MeasurePolicy policy_;
  double incumbent_ms_ = 0;  // 0: there is none
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::unique_ptr<Device> device_;
  std::unique_ptr<ArraySet> arrays_;
  std::unique_ptr<CompilePool> pool_;
  std::deque<Pending> pending_;
  std::string lost_;  // why the device cannot be used any more; empty while it can
};

}  // namespace warptune
