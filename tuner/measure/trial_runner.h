#pragma once

#include <functional>
#include <string>

#include "search/trial.h"
#include "tuner/kernel/plan.h"
#include "tuner/measure/bound_plan.h"
#include "tuner/measure/clock_watch.h"
#include "tuner/measure/evaluator.h"
#include "tuner/measure/policy.h"
#include "tuner/measure/workload.h"

namespace warptune::tuner {

// Turns the machine code of one configuration into the rest of its trial: resources, verification, samples.
class TrialRunner {
 public:
  TrialRunner(const KernelTemplate& kernel, Workload& workload, Device& device, MeasurePolicy policy,
              std::function<double()> now_s);

  // Fills outcome, message, resources, measurement and the phases verify_ms and measure_ms of `trial`. `scope` holds
  // sizes, limits and the configuration's values. Rethrows a sticky DeviceError after noting it in the trial: the
  // device is then unusable.
  void run(const MachineCode& code, const search::NamedValues& scope, Purpose purpose, search::Trial& trial);

  // See Evaluator; 0: there is nothing to race against.
  void race_against(double incumbent_ms) { incumbent_ms_ = incumbent_ms; }

 private:
  void verify_and_measure(const MachineCode& code, const search::NamedValues& scope, Purpose purpose,
                          search::Trial& trial);
  double verification_run(BoundPlan& bound);
  std::string repeat_fault(BoundPlan& bound, const Workload::Verdict& first);
  search::Measurement measure(BoundPlan& bound, Purpose purpose, double first_ms);
  std::vector<double> timed(BoundPlan& bound, int runs, int samples, bool check_after);

  const KernelTemplate& kernel_;
  Workload& workload_;
  Device& device_;
  MeasurePolicy policy_;
  std::function<double()> now_s_;
  ClockWatch clock_watch_;
  double incumbent_ms_ = 0;
  double launch_ms_ = 0;    // of the configuration at hand: about what one of its launches takes
  bool sampled_ = false;    // whether it has run again since its verifying run
  bool last_left_ = false;  // whether the buffers hold what one run from a fresh start leaves
};

}  // namespace warptune::tuner
