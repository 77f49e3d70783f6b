#pragma once

#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <string>

#include "tuner/device/backend.h"
#include "tuner/measure/evaluator.h"
#include "tuner/measure/sampling/policy.h"
#include "tuner/measure/trial_runner.h"

namespace warptune::tuner {

// One open device with a problem's data on it: takes finished machine code, gives the rest of its trial. Data of
// earlier problems stays, as long as there is memory for it. For one thread.
class Measurer {
 public:
  // Opens the device, fills the data, runs the reference (`compiler` compiles it). Throws NoDeviceError, WorkloadError.
  // The template and the compiler must outlive the measurer. `progress` is called between a trial's steps: as long as
  // it is, nothing hangs. `opened` is the device, where it is open already. `cache` is for the template's functions and
  // what they compute.
  Measurer(
      const KernelTemplate& kernel, search::NamedValues constants, const DeviceInfo& device, BackendOptions options,
      MeasurePolicy policy, Compiler& compiler, CacheOptions cache = {}, std::function<void()> progress = [] {},
      std::unique_ptr<Device> opened = {});

  // `scope` holds sizes, limits and the configuration's values. Fills outcome, message, resources, measurement and the
  // phases verify_ms and measure_ms. A trial that ruins the device's context says so, and the next one tries a fresh
  // context. Throws DeviceLostError if there is none to be had.
  void run(const MachineCode& code, const search::NamedValues& scope, Purpose purpose, search::Trial& trial);

  // From now on trials are of the same template with other sizes. What was set up for them before is found again, if it
  // is still there. Throws WorkloadError; there is no problem then until the next turn.
  void turn_to(search::NamedValues constants);

  // See Evaluator.
  void race_against(const Rivals& rivals);

  // The device, for a measurer of another problem: opening it takes longer than all else. This one is of no more use.
  std::unique_ptr<Device> release();

  // Of the present problem (Workload::expected_outputs).
  const std::vector<search::ExpectedOutput>& expected_outputs() const {
    return problems_.front().workload->expected_outputs();
  }

  // False once a trial has ruined the context.
  bool usable() const { return lost_.empty(); }

 private:
  // A problem's data and what runs on it, the second of which refers to the first.
  struct Problem {
    search::NamedValues constants;
    std::unique_ptr<Workload> workload;
    std::unique_ptr<TrialRunner> runner;
  };

  void open(std::unique_ptr<Device> opened);
  void reopen();
  void set_up();
  bool has_room() const;
  void add_counters(const MachineCode& code, const search::NamedValues& scope, search::Trial& trial);

  const KernelTemplate& kernel_;
  search::NamedValues constants_;
  DeviceInfo info_;
  const BackendEntry& backend_;
  BackendOptions options_;
  MeasurePolicy policy_;
  Compiler& compiler_;
  CacheOptions cache_;
  std::function<void()> progress_;
  // In this order, for the later ones refer to the earlier.
  std::unique_ptr<Device> device_;
  std::list<Problem> problems_;  // the present one first, then by when they were left
  Rivals rivals_;                // for the runner, also for one after a new opening
  std::string lost_;             // the code of the error that ruined the context; empty while it is sound
};

// Throws NoDeviceError for a device of an unknown backend.
const BackendEntry& backend_of(const DeviceInfo& device);

}  // namespace warptune::tuner
