#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "tuner/backends/backend.h"
#include "tuner/measure/evaluator.h"
#include "tuner/measure/policy.h"
#include "tuner/measure/trial_runner.h"

namespace warptune {

// One open device with one problem's data on it: takes finished machine code, gives the rest of its trial. For one
// thread.
class Measurer {
 public:
  // Opens the device, fills the data, runs the reference (`compiler` compiles it). Throws NoDeviceError, WorkloadError.
  // The template and the compiler must outlive the measurer.
  Measurer(const KernelTemplate& kernel, NamedValues constants, const DeviceInfo& device, BackendOptions options,
           MeasurePolicy policy, Compiler& compiler);

  // `scope` holds sizes, limits and the configuration's values. Fills outcome, message, resources, measurement and the
  // phases verify_ms and measure_ms. A trial that ruins the device's context says so, and the next one gets a fresh
  // context. Throws DeviceLostError if there was none to be had.
  void run(const MachineCode& code, const NamedValues& scope, Purpose purpose, Trial& trial);

  // See Evaluator.
  void race_against(double incumbent_ms);

 private:
  void open();
  void reopen(const DeviceError& cause);

  const KernelTemplate& kernel_;
  NamedValues constants_;
  DeviceInfo info_;
  const BackendEntry& backend_;
  BackendOptions options_;
  MeasurePolicy policy_;
  Compiler& compiler_;
  // In this order, for the later ones refer to the earlier.
  std::unique_ptr<Device> device_;
  std::unique_ptr<Workload> workload_;
  std::unique_ptr<TrialRunner> runner_;
  double incumbent_ms_ = 0;  // for the runner, also for one after a new opening; 0: none yet
  std::string lost_;         // why the device cannot be used any more; empty while it can
};

// Throws NoDeviceError for a device of an unknown backend.
const BackendEntry& backend_of(const DeviceInfo& device);

}  // namespace warptune
