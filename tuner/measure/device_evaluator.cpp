#include "tuner/measure/device_evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

namespace warptune {

namespace {

const BackendEntry& backend_of(const DeviceInfo& device) {
  const auto found = std::ranges::find(backends(), std::string_view(device.backend), &BackendEntry::name);
  if (found == backends().end()) throw NoDeviceError(fmt::format("there is no backend '{}'", device.backend));
  return *found;
}

std::size_t default_jobs(std::size_t wanted) {
  return wanted > 0 ? wanted : std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace

DeviceEvaluator::DeviceEvaluator(const KernelTemplate& kernel, const SearchSpace& space, NamedValues constants,
                                 const DeviceInfo& device, EvaluatorOptions options)
    : kernel_(kernel),
      space_(space),
      constants_(std::move(constants)),
      info_(device),
      backend_(backend_of(device)),
      options_(std::move(options)),
      compiler_(backend_.compiler(info_, options_.backend)),
      pool_(std::make_unique<CompilePool>(default_jobs(options_.compile_jobs))) {
  open();
}

DeviceEvaluator::~DeviceEvaluator() {
  pool_.reset();
}  // its jobs use the compiler

void DeviceEvaluator::open() {
  runner_.reset();
  workload_.reset();
  device_.reset();
  device_ = backend_.open(info_, options_.backend);
  workload_ =
      std::make_unique<Workload>(kernel_, constants_, *device_, *compiler_, options_.backend, options_.policy.verify);
  runner_ = std::make_unique<TrialRunner>(kernel_, *workload_, *device_, options_.policy, [this] { return now_s(); });
}

void DeviceEvaluator::submit(const Configuration& configuration) {
  Pending pending{configuration, constants_, {}, std::make_shared<std::atomic<bool>>(false)};
  const NamedValues values = space_.values(configuration);
  pending.scope.insert(pending.scope.end(), values.begin(), values.end());
  pending.compiled = pool_->submit([this, values, scope = pending.scope, begun = pending.begun] {
    begun->store(true);
    const double start = now_s();
    Compiled compiled{compiler_->compile(compile_request(kernel_, info_.backend, values, scope)), 0};
    compiled.compile_ms = (now_s() - start) * 1e3;
    return compiled;
  });
  pending_.push_back(std::move(pending));
}

Trial DeviceEvaluator::next() {
  if (!lost_.empty()) throw DeviceLostError(lost_);
  Pending pending = std::move(pending_.front());
  pending_.pop_front();
  Trial trial;
  trial.configuration = std::move(pending.configuration);
  const double start = now_s();
  try {
    Compiled compiled = pending.compiled.get();
    const double waited = now_s();
    trial.phases.compile_ms = compiled.compile_ms;
    if (compiled.result.code) {
      measure(*compiled.result.code, pending.scope, trial);
    } else {
      trial.outcome = compiled.result.timed_out ? Outcome::timeout : Outcome::compile_error;
      trial.message = compiled.result.log;
    }
    trial.phases.framework_ms = (now_s() - waited) * 1e3 - trial.phases.verify_ms - trial.phases.measure_ms;
  } catch (const ExpressionError& error) {  // a define that cannot be computed
    trial.outcome = Outcome::constraint_violation;
    trial.message = error.what();
    trial.phases.framework_ms = (now_s() - start) * 1e3;
  }
  return trial;
}

void DeviceEvaluator::measure(const MachineCode& code, const NamedValues& scope, Trial& trial) {
  try {
    runner_->run(code, scope, trial);
  } catch (const DeviceError& error) {
    reopen(error);  // the trial says why; the next one needs a fresh context
  }
}

// CUDA's sticky errors are final for a process: then this trial is the last, and the next call says so.
void DeviceEvaluator::reopen(const DeviceError& cause) {
  try {
    open();
  } catch (const std::exception& error) {
    lost_ = fmt::format(
        "{} was lost to this process by the last trial ({}) and cannot be opened again: {}. Every trial is in the "
        "store, "
        "that one too: the same command continues after it.",
        info_.id, cause.code(), error.what());
  }
}

std::size_t DeviceEvaluator::cancel() {
  // Compiles that have begun cannot be called back and are cheap to finish; the queue behind them is dropped. The old
  // pool ends first, so that no job begins between looking and erasing.
  const std::size_t threads = pool_->threads();
  pool_.reset();
  pool_ = std::make_unique<CompilePool>(threads);
  std::erase_if(pending_, [](const Pending& pending) { return !pending.begun->load(); });
  return pending_.size();
}

double DeviceEvaluator::now_s() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

}  // namespace warptune
