#include "tuner/measure/trial_runner.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "tuner/device/modules.h"
#include "tuner/measure/energy.h"
#include "tuner/measure/sampler.h"
#include "tuner/measure/symbols.h"

namespace warptune::tuner {

namespace {

// Below it a launch is mostly the gap before the next one.
constexpr double short_launch_ms = 0.02;

void fail(search::Trial& trial, search::Outcome outcome, std::string message) {
  trial.outcome = outcome;
  trial.message = std::move(message);
  trial.measurement.reset();
}

}  // namespace

TrialRunner::TrialRunner(const KernelTemplate& kernel, Workload& workload, Device& device, MeasurePolicy policy,
                         std::function<double()> now_s)
    : kernel_(kernel), workload_(workload), device_(device), policy_(policy), now_s_(std::move(now_s)) {}

void TrialRunner::run(const MachineCode& code, const search::NamedValues& scope, Purpose purpose,
                      search::Trial& trial) {
  try {
    verify_and_measure(code, scope, purpose, trial);
  } catch (const DeviceError& error) {
    fail(trial, error.outcome(), fmt::format("{} ({})", error.what(), error.code()));
    if (error.sticky()) throw;
  } catch (const search::ExpressionError& error) {
    fail(trial, search::Outcome::constraint_violation, fmt::format("its launch cannot be computed: {}", error.what()));
  } catch (const std::invalid_argument& error) {
    fail(trial, search::Outcome::constraint_violation, fmt::format("its launch cannot be computed: {}", error.what()));
  }
}

void TrialRunner::verify_and_measure(const MachineCode& code, const search::NamedValues& scope, Purpose purpose,
                                     search::Trial& trial) {
  const double start = now_s_();
  const auto module = load_all(device_, code);
  Plan plan = make_plan(kernel_, scope);
  workload_.make_room(plan);
  const auto find = [&](const std::string& name) { return workload_.span(name); };
  const auto find_on_host = [&](const std::string& name) { return workload_.host_span(name); };
  BoundPlan bound(std::move(plan), *module, {find, find_on_host}, device_, workload_.kernels());
  trial.resources = bound.resources();
  fill_symbols(kernel_, *module, device_, find);

  // A finalist was proved right when it was a trial, and will be measured many times.
  double first_ms = 0;
  Workload::Verdict verdict;
  if (purpose == Purpose::trial) {
    first_ms = verification_run(bound);
    verdict = workload_.inspect();
  }
  trial.phases.verify_ms = (now_s_() - start) * 1e3;
  if (!verdict.fault.empty()) return fail(trial, search::Outcome::wrong_result, verdict.fault);

  const double measuring = now_s_();
  trial.measurement = measure(bound, purpose, first_ms);
  const double measured = now_s_();
  trial.phases.measure_ms = (measured - measuring) * 1e3;
  if (purpose == Purpose::trial && policy_.verify == Verify::always && sampled_) {
    const std::string fault = repeat_fault(bound, verdict);
    trial.phases.verify_ms += (now_s_() - measured) * 1e3;
    if (!fault.empty()) return fail(trial, search::Outcome::wrong_result, fault);
  }
  trial.outcome = search::Outcome::correct;
}

// Inputs restored, outputs poisoned, one run; its milliseconds.
double TrialRunner::verification_run(BoundPlan& bound) {
  Timing timing;
  timing.lead = [&] {
    workload_.restore();
    workload_.poison();
    workload_.kernels().delay();
  };
  timing.work = [&] { bound.run(); };
  const double ms = device_.sample_ms(timing).front();
  launch_ms_ = ms / static_cast<double>(bound.launches());
  sampled_ = false;
  return ms;
}

// What the last sample left is checked, too: a race may be lost at any time. Empty if all is as it was the first time.
std::string TrialRunner::repeat_fault(BoundPlan& bound, const Workload::Verdict& first) {
  if (!last_left_) verification_run(bound);
  const Workload::Verdict again = workload_.inspect();
  if (!again.fault.empty()) return "right at first, wrong when repeated (a race?): " + again.fault;
  if (again.checksums == first.checksums) return {};
  return "right, but not bit for bit the same when repeated: a race, or an order of operations that varies; if that is "
         "meant, the manifest's output needs nondeterministic = true";
}

search::Measurement TrialRunner::measure(BoundPlan& bound, Purpose purpose, double first_ms) {
  const bool check_after = purpose == Purpose::trial && policy_.verify == Verify::always;
  MeasurePolicy policy = purpose == Purpose::trial ? policy_ : policy_.for_finalists();
  for (const Argument& temporary : kernel_.temporaries)
    if (temporary.zero) policy.min_sample_ms = 0;  // a cleared temporary is good for one run only
  SampleSource source;
  source.timed = [&](int runs, int samples) { return timed(bound, runs, samples, check_after); };
  source.now_s = now_s_;
  source.throttled = [&] { return clock_watch_.throttled(device_.state()); };
  source.let_recover = [] { std::this_thread::sleep_for(std::chrono::milliseconds(5)); };
  search::Measurement measurement = sample(source, policy, {first_ms, purpose == Purpose::trial ? incumbent_ms_ : 0});
  measurement.state = device_.state();
  if (policy.energy && !measurement.cut_short)
    measurement.joules = joules_per_run([&](int runs) { timed(bound, runs, 1, check_after); }, measurement.median_ms,
                                        [&] { return device_.energy_j(); }, now_s_);
  return measurement;
}

std::vector<double> TrialRunner::timed(BoundPlan& bound, int runs, int samples, bool check_after) {
  Timing timing;
  timing.lead = [&] {
    if (check_after) workload_.poison();
    workload_.kernels().delay();
  };
  timing.prepare = [&] {
    workload_.restore();
    if (policy_.cold_cache) workload_.flush_cache();
  };
  timing.work = [&bound, runs] {
    for (int i = 0; i < runs; ++i) bound.run();
  };
  timing.samples = samples;
  timing.short_launches = bound.only_kernels() && launch_ms_ < short_launch_ms;
  std::vector<double> taken = device_.sample_ms(timing);
  launch_ms_ = taken.back() / runs / static_cast<double>(bound.launches());
  sampled_ = true;
  last_left_ = runs == 1 || workload_.repeats_without_restoring();
  return taken;
}

}  // namespace warptune::tuner
