// Compiles with access tracking, runs once, and collects the access log.
#include "tuner/measure/tracked_run.h"

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "search/expression/expression.h"
#include "tuner/device/device.h"
#include "tuner/kernel/plan.h"
#include "tuner/kernel/problem.h"
#include "tuner/kernel/source/compile_requests.h"
#include "tuner/measure/measurer.h"
#include "tuner/measure/verification/expected_outputs.h"
#include "tuner/measure/verification/independent_runs.h"
#include "tuner/measure/verification/workload.h"

namespace warptune::tuner {

namespace {

void fail(TrackedRun& run, search::Outcome outcome, std::string message) {
  run.outcome = outcome;
  run.message = std::move(message);
}

// Calls `late` from a thread of its own if this object lives for longer than `seconds`. With 0 it never does.
class TimeLimit {
 public:
  TimeLimit(double seconds, std::function<void()> late) {
    if (seconds <= 0 || !late) return;
    thread_ = std::jthread([this, seconds, late = std::move(late)](const std::stop_token& stop) {
      std::unique_lock lock(mutex_);
      wake_.wait_for(lock, stop, std::chrono::duration<double>(seconds), [] { return false; });
      if (!stop.stop_requested()) late();
    });
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace

AccessCounts TrackedRun::counts() const {
  AccessCounts all;
  for (const LaunchCounts& launch : log.launches) all.add(launch.counts);
  return all;
}

TrackedRuns::TrackedRuns(const KernelTemplate& kernel, search::NamedValues constants, const DeviceInfo& device,
                         BackendOptions options, Compiler& compiler, bool verify)
    : kernel_(kernel),
      kernel_timeout_s_(options.kernel_timeout_s),
      constants_(std::move(constants)),
      log_(std::make_shared<AccessLog>()),
      tracking_compiler_(backend_of(device).compiler(device, options)) {
  options.accesses = log_;
  device_ = backend_of(device).open(device, options);
  workload_ = std::make_unique<Workload>(kernel, constants_, *device_, compiler, options, verify);
  require_telling(kernel, workload_->expected_outputs());
}

void TrackedRuns::run(const MachineCode& code, const search::NamedValues& scope, TrackedRun& run) {
  const auto module = load_all(*device_, code);
  const Plan plan = make_plan(kernel_, scope);
  workload_->make_room(plan);
  IndependentRuns runs(kernel_, *workload_, *module, plan);
  log_->buffers = runs.buffers();
  runs.single(true);
  const Workload::Judgement judgement = runs.inspect(true);
  if (!judgement.fault.empty()) fail(run, search::Outcome::wrong_result, judgement.fault);
}

TrackedRun TrackedRuns::timed_out(const search::NamedValues& configuration) const {
  TrackedRun run;
  run.configuration = configuration;
  fail(run, search::Outcome::timeout,
       fmt::format("its kernels ran longer than the kernel time-out of {} s, with every access looked at, which takes "
                   "ten times as long and more. Is there a loop without an end? If they need that long, take a smaller "
                   "--size, or raise the time-out (--kernel-timeout)",
                   kernel_timeout_s_));
  return run;
}

TrackedRun TrackedRuns::run(const search::NamedValues& configuration, const Tracking& tracking) {
  TrackedRun run;
  run.configuration = configuration;
  *log_ = {.races = tracking.races, .counts = tracking.counts, .buffers = {}, .launches = {}, .findings = {}};
  const search::NamedValues scope = scope_of(constants_, configuration);
  try {
    CompileRequest request = compile_request(kernel_, "host", configuration, scope);
    request.tracked = true;
    const CompileResult compiled = tracking_compiler_->compile(request);
    if (compiled.code) {
      std::function<void()> late;
      if (tracking.on_timeout) late = [&] { tracking.on_timeout(timed_out(configuration)); };
      const TimeLimit limit(kernel_timeout_s_, std::move(late));
      this->run(*compiled.code, scope, run);
    } else {
      fail(run, search::Outcome::compile_error, compiled.log);
    }
  } catch (const DeviceError& error) {
    fail(run, error.outcome(), fmt::format("{} ({})", error.what(), error.code()));
  } catch (const search::ExpressionError& error) {
    fail(run, search::Outcome::constraint_violation, launch_fault(kernel_, error.what()));
  } catch (const std::invalid_argument& error) {
    fail(run, search::Outcome::constraint_violation, launch_fault(kernel_, error.what()));
  }
  run.log = *log_;
  return run;
}

}  // namespace warptune::tuner
