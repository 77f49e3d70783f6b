// Declares the runner, which verifies and measures the code of one configuration.
#pragma once

#include <functional>
#include <string>

#include "search/trial.h"
#include "tuner/kernel/plan.h"
#include "tuner/measure/evaluator.h"
#include "tuner/measure/memory/module_state.h"
#include "tuner/measure/sampling/energy.h"
#include "tuner/measure/sampling/policy.h"
#include "tuner/measure/sampling/sampler.h"
#include "tuner/measure/verification/independent_runs.h"
#include "tuner/measure/verification/workload.h"

namespace warptune::tuner {

// Turns the machine code of one configuration into the rest of its trial: resources, verification, samples.
class TrialRunner {
 public:
  TrialRunner(const KernelTemplate& kernel, Workload& workload, Device& device, MeasurePolicy policy,
              std::function<double()> now_s);

  // Fills outcome, message, resources, measurement and the phases verify_ms and measure_ms of `trial`, or, if it is to
  // be counted, its counters instead of a measurement. `scope` holds sizes, limits and the configuration's values.
  // Rethrows a sticky DeviceError after noting it in the trial: the device is then unusable.
  void run(const MachineCode& code, const search::NamedValues& scope, Purpose purpose, search::Trial& trial);

  // Sets the rivals of later trials, as Evaluator::race_against says.
  void race_against(const Rivals& rivals) { rivals_ = rivals; }

 private:
  void count(IndependentRuns& runs, search::Trial& trial);
  void verify_and_measure(const MachineCode& code, const search::NamedValues& scope, Purpose purpose,
                          search::Trial& trial);
  void clean_up();
  std::string verify(IndependentRuns& runs, ModuleState& state, double& ms);
  std::string state_fault(ModuleState& state) const;
  std::string repeat_fault(IndependentRuns& runs, ModuleState& state, const std::string& if_mismatch);
  bool to_be_proved(const search::Trial& trial);
  void prove(IndependentRuns& runs, ModuleState& state, search::Trial& trial);
  double times_as_long_unseen(IndependentRuns& runs);
  double known_ms(IndependentRuns& runs, std::size_t set);
  std::string unseen_fault(IndependentRuns& runs, ModuleState& state);
  search::Measurement measure(IndependentRuns& runs, Purpose purpose, double first_ms);
  double incumbent_ms(double first_ms) const;
  std::optional<double> measure_energy(IndependentRuns& runs, double run_ms);

  const KernelTemplate& kernel_;
  Workload& workload_;
  Device& device_;
  MeasurePolicy policy_;
  std::function<double()> now_s_;
  ClockWatch clock_watch_;
  Rivals rivals_;
  std::optional<CounterMove> counter_move_;  // at the end of the latest energy measurement
  std::optional<double> begin_s_;            // when the first trial began
  double proving_s_ = 0;                     // the time spent on inputs that no run had seen
  bool begun_ = false;                       // whether the configuration at hand has run
};

}  // namespace warptune::tuner
