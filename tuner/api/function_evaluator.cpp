#include "tuner/api/function_evaluator.h"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/measure/compile_jobs.h"
#include "tuner/measure/measurer.h"
#include "tuner/measure/sampler.h"

namespace warptune {

namespace {

void keep_worst(std::optional<search::ResourceUse>& worst, const search::ResourceUse& use) {
  if (!worst) {
    worst = use;
    return;
  }
  worst->registers_per_thread = std::max(worst->registers_per_thread, use.registers_per_thread);
  worst->local_bytes_per_thread = std::max(worst->local_bytes_per_thread, use.local_bytes_per_thread);
  worst->static_shared_bytes = std::max(worst->static_shared_bytes, use.static_shared_bytes);
  worst->dynamic_shared_bytes = std::max(worst->dynamic_shared_bytes, use.dynamic_shared_bytes);
  worst->threads_per_block = std::max(worst->threads_per_block, use.threads_per_block);
  worst->occupancy = std::min(worst->occupancy, use.occupancy);
}

// The modules of all sources, as one.
class Modules {
 public:
  Modules(tuner::Device& device, const std::vector<tuner::MachineCode>& code) {
    for (const tuner::MachineCode& one : code) {
      modules_.push_back(device.load(one));
      for (const auto& [name, symbol] : one.linkage_names) of_kernel_[name] = modules_.back().get();
    }
  }

  tuner::Kernel& kernel(const std::string& name) const {
    const auto found = of_kernel_.find(name);
    if (found == of_kernel_.end())
      throw std::invalid_argument(
          fmt::format("the launcher names a kernel '{}' that no source was declared with", name));
    return found->second->kernel(name);
  }

 private:
  std::vector<std::unique_ptr<tuner::Module>> modules_;
  std::map<std::string, tuner::Module*> of_kernel_;
};

}  // namespace

FunctionEvaluator::FunctionEvaluator(const Tuner::Problem& problem, const search::SearchSpace& space,
                                     search::NamedValues constants, const tuner::DeviceInfo& device,
                                     tuner::Compiler& compiler, tuner::MeasurePolicy policy)
    : problem_(problem),
      space_(space),
      constants_(std::move(constants)),
      info_(device),
      compiler_(compiler),
      policy_(policy),
      pool_(std::make_unique<tuner::CompilePool>(tuner::compile_jobs(problem.options.compile_jobs))) {
  open();
}

FunctionEvaluator::~FunctionEvaluator() {
  pool_.reset();  // its jobs use the rest
}

void FunctionEvaluator::open() {
  arrays_.reset();
  device_.reset();
  device_ = backend_of(info_).open(info_, problem_.options.backend);
  arrays_ = std::make_unique<ArraySet>(problem_, *device_, compiler_);
}

void FunctionEvaluator::submit(const tuner::Evaluation& evaluation) {
  Pending pending{evaluation, constants_, {}, std::make_shared<std::atomic<bool>>(false)};
  const search::NamedValues values = space_.values(evaluation.configuration);
  pending.scope.insert(pending.scope.end(), values.begin(), values.end());
  pending.compiled = pool_->submit([this, scope = pending.scope, begun = pending.begun] {
    begun->store(true);
    return compile(scope);
  });
  pending_.push_back(std::move(pending));
}

FunctionEvaluator::Compiled FunctionEvaluator::compile(const search::NamedValues& scope) {
  const double start = now_s();
  Compiled compiled;
  for (const tuner::CompileRequest& request : problem_.requests(scope)) {
    tuner::CompileResult result = compiler_.compile(request);
    if (!result.code) {
      compiled.failure = std::move(result);
      compiled.code.clear();
      break;
    }
    compiled.code.push_back(*std::move(result.code));
  }
  compiled.compile_ms = (now_s() - start) * 1e3;
  return compiled;
}

search::Trial FunctionEvaluator::next() {
  if (!lost_.empty()) throw tuner::DeviceLostError(lost_);
  Pending pending = std::move(pending_.front());
  pending_.pop_front();
  search::Trial trial;
  trial.configuration = pending.evaluation.configuration;
  const Compiled compiled = pending.compiled.get();
  const double compiled_at = now_s();
  trial.phases.compile_ms = compiled.compile_ms;
  if (compiled.code.empty()) {
    trial.outcome = compiled.failure.timed_out ? search::Outcome::timeout : search::Outcome::compile_error;
    trial.message = compiled.failure.log;
    return trial;
  }
  trial.device_uuid = info_.uuid;
  try {
    measure(compiled, pending, trial);
  } catch (const tuner::DeviceError& error) {
    trial.outcome = error.outcome();
    trial.message = fmt::format("{} ({})", error.what(), error.code());
    trial.measurement.reset();
    if (error.sticky()) lose(error);
  }
  trial.phases.framework_ms = (now_s() - compiled_at) * 1e3 - trial.phases.verify_ms - trial.phases.measure_ms;
  return trial;
}

// A ruined context costs this trial; the next gets a fresh one, if there is one to be had.
void FunctionEvaluator::lose(const tuner::DeviceError& cause) {
  try {
    open();
  } catch (const std::exception& error) {
    lost_ = fmt::format("{} was lost to this process by the last trial ({}) and cannot be opened again: {}", info_.id,
                        cause.code(), error.what());
  }
}

void FunctionEvaluator::measure(const Compiled& compiled, const Pending& pending, search::Trial& trial) {
  const Modules modules(*device_, compiled.code);
  const Values values(pending.scope);
  Run::Parts parts;
  parts.kernel = [&](const std::string& name) -> tuner::Kernel& { return modules.kernel(name); };
  parts.array = [&](const std::string& name) { return arrays_->span(name); };
  parts.clear = [&](tuner::MemorySpan span) { arrays_->clear(span); };
  // The first run tells what the launches need.
  parts.on_launch = [&](tuner::Kernel& kernel, const tuner::LaunchGeometry& geometry) {
    keep_worst(trial.resources, kernel.resources(geometry));
  };
  verify_and_sample(
      [&] {
        problem_.launcher(Run(values, parts));
        parts.on_launch = nullptr;
      },
      pending, trial);
}

std::string FunctionEvaluator::checked(const std::function<void()>& run) {
  arrays_->prepare();
  run();
  device_->synchronize();
  return arrays_->fault();
}

search::Measurement FunctionEvaluator::sampled(const std::function<void()>& run, tuner::Purpose purpose) {
  tuner::SampleSource source;
  source.timed = [&](int runs, int samples) {
    tuner::Timing timing;
    timing.lead = [&] { arrays_->kernels().delay(); };
    timing.prepare = [&] { arrays_->prepare(); };
    timing.work = [&] {
      for (int i = 0; i < runs; ++i) run();
    };
    timing.samples = samples;
    return device_->sample_ms(timing);
  };
  source.now_s = [this] { return now_s(); };
  source.throttled = [] { return false; };
  source.let_recover = [] {};
  const bool first = purpose == tuner::Purpose::trial;
  return sample(source, first ? policy_ : policy_.for_finalists(), {0, first ? incumbent_ms_ : 0});
}

void FunctionEvaluator::verify_and_sample(const std::function<void()>& run, const Pending& pending,
                                          search::Trial& trial) {
  const double start = now_s();
  trial.message = checked(run);
  trial.phases.verify_ms = (now_s() - start) * 1e3;
  trial.outcome = trial.message.empty() ? search::Outcome::correct : search::Outcome::wrong_result;
  if (!trial.correct()) return;
  const double measuring = now_s();
  trial.measurement = sampled(run, pending.evaluation.purpose);
  trial.phases.measure_ms = (now_s() - measuring) * 1e3;
  if (pending.evaluation.purpose == tuner::Purpose::finalist) return;  // known to be right when repeated, too
  trial.message = checked(run);
  if (trial.message.empty()) return;
  trial.outcome = search::Outcome::wrong_result;
  trial.message = "right at first, wrong when repeated (a race?): " + trial.message;
  trial.measurement.reset();
}

std::size_t FunctionEvaluator::cancel() {
  // As in DeviceEvaluator: what has begun to compile is cheap to finish, the queue behind it is dropped.
  const std::size_t threads = pool_->threads();
  pool_.reset();
  pool_ = std::make_unique<tuner::CompilePool>(threads);
  std::erase_if(pending_, [](const Pending& pending) { return !pending.begun->load(); });
  return pending_.size();
}

double FunctionEvaluator::now_s() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

}  // namespace warptune
