// Verifies, samples and verifies again. It proves good trials on inputs that no run has seen.
#include "tuner/measure/trial_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>

#include "tuner/device/device.h"
#include "tuner/measure/verification/workload.h"

namespace warptune::tuner {

namespace {

// The most launches that a trial records. There can be a million: one for each pass, each with a grid of its own.
constexpr std::size_t most_launches = 32;
// The most launches that wait for the device. With more than about a thousand the driver blocks the launching thread.
constexpr std::size_t most_queued = 900;

// The shares of a session's time that may go into proofs of the best configuration so far, and into proofs of others.
constexpr double share_of_best = 0.01, share_of_others = 0.005;
// A kernel keeps answers if its first run on new inputs is slower than runs on known ones by more than this, in each of
// several proofs. A processor learns the branches of data that it meets again, so that the host needs a wider margin.
constexpr double much_slower = 2, much_slower_on_host = 4, much_slower_ms = 0.005;
constexpr int most_proofs = 6;

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
  begun_ = false;
  try {
    verify_and_measure(code, scope, purpose, trial);
  } catch (const DeviceError& error) {
    fail(trial, error.outcome(), fmt::format("{} ({})", error.what(), error.code()));
    if (error.sticky()) throw;
    clean_up();
  } catch (const search::ExpressionError& error) {
    fail(trial, search::Outcome::constraint_violation, launch_fault(kernel_, error.what()));
  } catch (const std::invalid_argument& error) {
    fail(trial, search::Outcome::constraint_violation, launch_fault(kernel_, error.what()));
  }
}

// Repairs the data after a run that failed in the middle. It may have written anywhere, and the next configuration must
// not pay for that.
void TrialRunner::clean_up() {
  if (!begun_) return;
  workload_.inspect(false);
  workload_.heal();
}

void TrialRunner::verify_and_measure(const MachineCode& code, const search::NamedValues& scope, Purpose purpose,
                                     search::Trial& trial) {
  const double start = now_s_();
  if (!begin_s_) begin_s_ = start;
  const auto module = load_all(device_, code);
  Plan plan = make_plan(kernel_, scope);
  workload_.make_room(plan);
  IndependentRuns runs(kernel_, workload_, *module, std::move(plan), policy_.as);
  trial.launches = runs.uses();
  trial.resources = worst_use(trial.launches);
  if (trial.launches.size() > most_launches) trial.launches.resize(most_launches);
  ModuleState state(*module, device_, runs.filled_variables());
  begun_ = true;

  if (purpose == Purpose::counted) return count(runs, trial);
  if (purpose == Purpose::proof) return prove(runs, state, trial);
  // A finalist was proved right when it was a trial, and will be measured many times.
  double first_ms = 0;
  std::string fault;
  if (purpose == Purpose::trial) fault = verify(runs, state, first_ms);
  trial.phases.verify_ms = (now_s_() - start) * 1e3;
  if (!fault.empty()) return fail(trial, search::Outcome::wrong_result, fault);

  const double measuring = now_s_();
  trial.measurement = measure(runs, purpose, first_ms);
  const double measured = now_s_();
  trial.phases.measure_ms = (measured - measuring) * 1e3;
  fault = repeat_fault(runs, state, "right at first, wrong when repeated (a race?): ");
  trial.measurement->error = runs.error();
  trial.phases.verify_ms += (now_s_() - measured) * 1e3;
  if (!fault.empty()) return fail(trial, search::Outcome::wrong_result, fault);
  trial.outcome = search::Outcome::correct;
  if (purpose != Purpose::trial) return;
  trial.bits = runs.bits();
  if (to_be_proved(trial)) prove(runs, state, trial);
}

// Counts the events of a run. If counters cannot be read, that says nothing about the configuration, so the trial stays
// correct.
void TrialRunner::count(IndependentRuns& runs, search::Trial& trial) {
  const double start = now_s_();
  try {
    if (const auto profiler = device_.profiler())
      trial.counters = runs.count(*profiler, now_s_);
    else
      trial.counters = search::Counters{{}, {}, {}, fmt::format("{} has no counters", device_.info().id)};
  } catch (const DeviceError& error) {
    if (error.sticky()) throw;
    trial.counters = search::Counters{{}, {}, {}, fmt::format("{} ({})", error.what(), error.code())};
  }
  trial.outcome = search::Outcome::correct;
  trial.phases.measure_ms = (now_s_() - start) * 1e3;
  const Workload::Judgement judgement = runs.inspect(true);
  if (!judgement.fault.empty()) workload_.heal();
}

// Verifies a first run. Returns what is wrong with it; empty if nothing is.
std::string TrialRunner::verify(IndependentRuns& runs, ModuleState& state, double& ms) {
  for (int attempt = 0;; ++attempt) {
    ms = runs.single(policy_.verifies());
    const Workload::Judgement judgement = runs.inspect(false);
    runs.varies(judgement);
    if (judgement.fault.empty()) return state_fault(state);
    // An earlier configuration may have written what this one was compared with, or worked on.
    const bool damaged = workload_.heal();
    if (!damaged || !judgement.mismatch || attempt > 0) return judgement.fault;
  }
}

std::string TrialRunner::state_fault(ModuleState& state) const {
  if (const std::string input = state.written_input(); !input.empty())
    return fmt::format("{}, an input, was written: its variable no longer holds it", input);
  const std::string variable = policy_.verifies() ? state.changed() : "";
  if (variable.empty()) return {};
  return fmt::format(
      "its variable {} is not what it was before the run: the next run begins otherwise than the first, and may do "
      "otherwise; put it back in the kernel, or, if it is scratch memory, list it in the manifest's scratch_variables",
      variable);
}

// Checks the state after the samples, since a race may go wrong in any run. Returns what is wrong; empty if nothing is.
std::string TrialRunner::repeat_fault(IndependentRuns& runs, ModuleState& state, const std::string& if_mismatch) {
  const Workload::Judgement again = runs.inspect(true);
  const bool varies = runs.varies(again);
  if (!again.fault.empty()) {
    workload_.heal();
    return (again.mismatch ? if_mismatch : "") + again.fault;
  }
  if (varies)
    return "right, but not bit for bit the same when repeated: a race, or an order of operations that varies; if that "
           "is meant, the manifest's output needs nondeterministic = true, or an expression where it is";
  return state_fault(state);
}

// Decides whether a trial is proved on new inputs. The choice is random, so that no kernel can foresee it, and bounded
// to a small share of the time.
bool TrialRunner::to_be_proved(const search::Trial& trial) {
  if (trial.measurement->cut_short) return false;
  const bool best = rivals_.best_ms <= 0 || trial.measurement->median_ms < rivals_.best_ms;
  if (!best && workload_.rng().below(4) != 0) return false;
  const double share = best ? share_of_best : share_of_others;
  return proving_s_ + workload_.redraw_s() <= share * (now_s_() - *begin_s_);
}

// Runs a trial that has been correct so far on inputs that no run has seen, and fails it if that shows a fault.
void TrialRunner::prove(IndependentRuns& runs, ModuleState& state, search::Trial& trial) {
  if (policy_.verify != Verify::always) return;
  const double start = now_s_();
  const std::string fault = unseen_fault(runs, state);
  const double took = now_s_() - start;
  proving_s_ += took;
  trial.phases.verify_ms += took * 1e3;
  if (!fault.empty()) fail(trial, search::Outcome::wrong_result, fault);
}

// Returns the time of the first run on new inputs divided by the time of runs on known inputs before and after it.
// Returns 1 if the difference is within the margin.
double TrialRunner::times_as_long_unseen(IndependentRuns& runs) {
  const double before_ms = known_ms(runs, 0);
  now_s_();
  const double unseen_ms = runs.single(true, 1), after_ms = known_ms(runs, 1);
  const double much = device_.info().is_host() ? much_slower_on_host : much_slower;
  const double seen_ms = std::max(before_ms, after_ms);
  return unseen_ms > std::max(much * seen_ms, seen_ms + much_slower_ms) ? unseen_ms / seen_ms : 1;
}

// Returns the least time of some runs on a set. A kernel may not know the set in the first of these runs, and any run
// may be disturbed. Where each thread of the host has a memory of its own, several runs have to fill them.
double TrialRunner::known_ms(IndependentRuns& runs, std::size_t set) {
  constexpr int least_runs = 2, most_runs = 6;
  constexpr double enough_ms = 20;
  double least = std::numeric_limits<double>::infinity(), spent = 0;
  for (int run = 0; run < least_runs || (run < most_runs && spent < enough_ms); ++run) {
    now_s_();  // this calls `progress`, which shows that nothing hangs
    const double ms = runs.single(run == 0 && set == 1, set);
    least = std::min(least, ms);
    spent += ms;
  }
  return least;
}

// Runs on inputs that no run has seen. Returns what is wrong; empty if nothing is. A remembered answer is wrong on such
// inputs. A kernel that compares its inputs with remembered ones gives right answers, but its slow first run gives it
// away. That run may have been disturbed, so the proof is repeated with other inputs.
std::string TrialRunner::unseen_fault(IndependentRuns& runs, ModuleState& state) {
  if (workload_.sets() == 1) return {};
  double least = std::numeric_limits<double>::infinity();
  for (int proof = 0; proof < most_proofs; ++proof) {
    if (!runs.redraw()) return {};
    const double times = times_as_long_unseen(runs);
    const std::string fault = repeat_fault(runs, state, "right at first, wrong on inputs that no run had seen: ");
    if (!fault.empty()) return fault;
    if (times <= 1) return {};
    least = std::min(least, times);
  }
  return fmt::format(
      "each of {} first runs on inputs that no run had seen took at least {:.1f} times as long as runs on known ones: "
      "it keeps answers from one run to the next",
      most_proofs, least);
}

search::Measurement TrialRunner::measure(IndependentRuns& runs, Purpose purpose, double first_ms) {
  IndependentRuns::How how;
  how.check = policy_.verify == Verify::always;
  how.cold_cache = policy_.cold_cache;
  SampleSource source;
  source.timed = [&](int runs_back_to_back, int samples) {
    how.runs = runs_back_to_back;
    how.samples = samples;
    return runs.timed(how);
  };
  source.now_s = now_s_;
  source.throttled = [&] { return clock_watch_.throttled(device_.state()); };
  source.let_recover = [] { std::this_thread::sleep_for(std::chrono::milliseconds(5)); };
  source.most_runs = runs.most_runs();
  const MeasurePolicy policy = purpose == Purpose::trial ? policy_ : policy_.for_finalists();
  search::Measurement measurement =
      sample(source, policy, {first_ms, purpose == Purpose::trial ? incumbent_ms(first_ms) : 0});
  measurement.state = device_.state();
  if (policy.energy && !measurement.cut_short && !rivals_.spare_energy(measurement.median_ms))
    measurement.joules = measure_energy(runs, measurement.median_ms);
  return measurement;
}

// Returns the time against which the sampler races. With energy as an objective, only what is surely off the front is
// cut short. The estimate allows for a first launch that takes longer than the others.
double TrialRunner::incumbent_ms(double first_ms) const {
  if (!rivals_.spare_energy(std::max(0.0, 0.9 * first_ms - 0.1))) return rivals_.best_ms;
  return std::ranges::min(rivals_.front, {}, &EnergyPoint::ms).ms;
}

// Measures the energy of a run. In a search the measurement is rough: what may be on the front at the end is measured
// again without rivals.
std::optional<double> TrialRunner::measure_energy(IndependentRuns& runs, double run_ms) {
  EnergyStretch stretch;
  if (!rivals_.front.empty()) stretch = {EnergyStretch::rough_s, counter_move_};
  const QueuedRuns queued{[&](int count) { runs.queue(count); }, [&] { device_.synchronize(); },
                          static_cast<int>(std::max<std::size_t>(1, most_queued / runs.launches()))};
  const auto energy = joules_per_run(
      queued, run_ms, [&] { return device_.energy_j(); }, now_s_, stretch);
  counter_move_ = energy ? std::optional(energy->end) : std::nullopt;
  return energy ? std::optional(energy->joules) : std::nullopt;
}

}  // namespace warptune::tuner
