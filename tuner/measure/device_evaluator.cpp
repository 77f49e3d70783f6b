// Compiles on threads while the calling thread measures. Finalists keep their machine code.
#include "tuner/measure/device_evaluator.h"

#include <algorithm>
#include <atomic>
#include <chrono>

#include "tuner/kernel/problem.h"
#include "tuner/kernel/source/compile_requests.h"
#include "tuner/measure/compilation/compile_pool.h"

namespace warptune::tuner {

namespace {

// Compiles all modules of a configuration. If one of them cannot be compiled, returns that one's result, which says
// why.
CompileResult compile_all(Compiler& compiler, const std::vector<CompileRequest>& requests) {
  CompileResult all;
  for (const CompileRequest& request : requests) {
    CompileResult one = compiler.compile(request);
    if (!one.code) return one;
    if (all.code)
      all.code->more.push_back(*std::move(one.code));
    else
      all = std::move(one);
  }
  return all;
}

}  // namespace

std::unique_ptr<CachedCompiler> cached_compiler(const DeviceInfo& device, const EvaluatorOptions& options) {
  return std::make_unique<CachedCompiler>(backend_of(device).compiler(device, options.backend), device, options.cache,
                                          options.backend.cuda_include_directories, options.cache_salt);
}

DeviceEvaluator::DeviceEvaluator(const KernelTemplate& kernel, const search::SearchSpace& space,
                                 search::NamedValues constants, const DeviceInfo& device, EvaluatorOptions options)
    : kernel_(kernel),
      space_(space),
      constants_(std::move(constants)),
      info_(device),
      options_(std::move(options)),
      compiler_(cached_compiler(info_, options_)),
      measurer_(std::make_unique<Measurer>(kernel_, constants_, info_, options_.backend, options_.policy, *compiler_,
                                           options_.cache)),
      pool_(std::make_unique<CompilePool>(compile_jobs(options_.compile_jobs))) {}

DeviceEvaluator::~DeviceEvaluator() {
  pool_.reset();
}  // the pool ends first, since its jobs use the compiler

void DeviceEvaluator::submit(const Evaluation& evaluation) {
  require_fitting(space_, evaluation.configuration);
  const search::NamedValues values = space_.values(evaluation.configuration);
  Pending pending{evaluation, scope_of(constants_, values), {}, std::make_shared<std::atomic<bool>>(false)};
  const bool finalist = evaluation.purpose != Purpose::trial;
  const bool tracked = has_to_be_tracked(info_, evaluation.purpose);
  const std::string key = finalist && !tracked ? space_.key(evaluation.configuration) : "";
  if (const auto known = finalists_.find(key); known != finalists_.end()) {
    pending.compiled = known->second;
    pending.begun->store(true);
  } else {
    pending.compiled = pool_->submit([this, values, scope = pending.scope, begun = pending.begun, tracked] {
      begun->store(true);
      const double start = now_s();
      auto requests = compile_requests(kernel_, info_.backend, values, scope);
      for (CompileRequest& request : requests) request.tracked = tracked;
      Compiled compiled{compile_all(*compiler_, requests), 0};
      compiled.compile_ms = (now_s() - start) * 1e3;
      return compiled;
    });
    if (!key.empty()) finalists_[key] = pending.compiled;
  }
  pending_.push_back(std::move(pending));
}

// Waits for the compiler only: measuring happens in the thread that calls `next`, so there is nothing to wait for.
bool DeviceEvaluator::wait(double seconds) {
  if (pending_.empty()) return true;
  return pending_.front().compiled.wait_for(std::chrono::duration<double>(std::max(0.0, seconds))) ==
         std::future_status::ready;
}

search::Trial DeviceEvaluator::next() {
  require_in_flight(!pending_.empty());
  Pending pending = std::move(pending_.front());
  pending_.pop_front();
  search::Trial trial;
  trial.configuration = std::move(pending.evaluation.configuration);
  const double start = now_s();
  try {
    const Compiled& compiled = pending.compiled.get();
    const double waited = now_s();
    trial.phases.compile_ms = compiled.compile_ms;
    if (compiled.result.code) {
      trial.device_uuid = info_.uuid;
      measurer_->run(*compiled.result.code, pending.scope, pending.evaluation.purpose, trial);
    } else {
      trial.outcome = compiled.result.timed_out    ? search::Outcome::timeout
                      : compiled.result.unfinished ? search::Outcome::crash
                                                   : search::Outcome::compile_error;
      trial.message = compiled.result.log;
    }
    trial.phases.framework_ms = (now_s() - waited) * 1e3 - trial.phases.verify_ms - trial.phases.measure_ms;
  } catch (const search::ExpressionError& error) {  // a define that cannot be computed
    trial.outcome = search::Outcome::constraint_violation;
    trial.message = error.what();
    trial.phases.framework_ms = (now_s() - start) * 1e3;
  }
  return trial;
}

std::size_t DeviceEvaluator::cancel() {
  // Compiles that have begun cannot be called back and are cheap to finish; the queue behind them is dropped. The old
  // pool ends first, so that no job begins between looking and erasing.
  const std::size_t threads = pool_->threads();
  pool_.reset();
  pool_ = std::make_unique<CompilePool>(threads);
  finalists_.clear();
  std::erase_if(pending_, [](const Pending& pending) { return !pending.begun->load(); });
  return pending_.size();
}

double DeviceEvaluator::now_s() const {
  return steady_s() - start_s_;
}

}  // namespace warptune::tuner
