#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "search/trial.h"
#include "tuner/kernel/plan.h"
#include "tuner/measure/evaluator.h"
#include "tuner/measure/policy.h"
#include "tuner/measure/workload.h"

namespace warptune {

// Turns the machine code of one configuration into the rest of its trial: resources, verification, samples.
class TrialRunner {
 public:
  TrialRunner(const KernelTemplate& kernel, Workload& workload, Device& device, MeasurePolicy policy,
              std::function<double()> now_s);

  // Fills outcome, message, resources, measurement and the phases verify_ms and measure_ms of `trial`. `scope` holds
  // sizes, limits and the configuration's values. Rethrows a sticky DeviceError after noting it in the trial: the
  // device is then unusable.
  void run(const MachineCode& code, const NamedValues& scope, Purpose purpose, Trial& trial);

 private:
  void verify_and_measure(const MachineCode& code, const NamedValues& scope, Purpose purpose, Trial& trial);
  std::map<std::string, std::unique_ptr<GuardedBuffer>> allocate_temporaries(const Plan& plan);
  std::string first_fault(const std::function<void()>& run);

  const KernelTemplate& kernel_;
  Workload& workload_;
  Device& device_;
  MeasurePolicy policy_;
  std::function<double()> now_s_;
};

}  // namespace warptune
