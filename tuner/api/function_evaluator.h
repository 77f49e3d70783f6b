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
class FunctionEvaluator : public tuner::Evaluator {
 public:
  // Opens the device, uploads the arrays, calls the reference. Throws NoDeviceError, DeviceError. The problem, the
  // space and the compiler must outlive the evaluator.
  FunctionEvaluator(const Tuner::Problem& problem, const search::SearchSpace& space, search::NamedValues constants,
                    const tuner::DeviceInfo& device, tuner::Compiler& compiler, tuner::MeasurePolicy policy);
  ~FunctionEvaluator() override;

  const tuner::DeviceInfo& device() const override { return info_; }
  std::size_t capacity() const override { return pool_->threads() + 2; }
  void submit(const tuner::Evaluation& evaluation) override;
  search::Trial next() override;
  void race_against(double incumbent_ms) override { incumbent_ms_ = incumbent_ms; }
  std::size_t cancel() override;
  double now_s() const override;

 private:
  struct Compiled {
    std::vector<tuner::MachineCode> code;  // of every source, unless one failed
    tuner::CompileResult failure;
    double compile_ms = 0;
  };
  struct Pending {
    tuner::Evaluation evaluation;
    search::NamedValues scope;
    std::future<Compiled> compiled;
    std::shared_ptr<std::atomic<bool>> begun;
  };

  Compiled compile(const search::NamedValues& scope);
  void open();
  void measure(const Compiled& compiled, const Pending& pending, search::Trial& trial);
  void verify_and_sample(const std::function<void()>& run, const Pending& pending, search::Trial& trial);
  // One verified run; what is wrong with it, or nothing.
  std::string checked(const std::function<void()>& run);
  search::Measurement sampled(const std::function<void()>& run, tuner::Purpose purpose);
  void lose(const tuner::DeviceError& cause);

  const Tuner::Problem& problem_;
  const search::SearchSpace& space_;
  search::NamedValues constants_;
  tuner::DeviceInfo info_;
  tuner::Compiler& compiler_;
  tuner::MeasurePolicy policy_;
  double incumbent_ms_ = 0;  // 0: there is none
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::unique_ptr<tuner::Device> device_;
  std::unique_ptr<ArraySet> arrays_;
  std::unique_ptr<tuner::CompilePool> pool_;
  std::deque<Pending> pending_;
  std::string lost_;  // why the device cannot be used any more; empty while it can
};

}  // namespace warptune
