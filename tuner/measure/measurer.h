// Declares the measurer, which turns machine code into trials on an open device.
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

// Owns an open device with a problem's data on it. It takes finished machine code and fills the rest of its trial. Data
// of earlier problems stay as long as there is memory for them. Only one thread may use a measurer.
class Measurer {
 public:
  // Opens the device, fills the data and runs the reference, which `compiler` compiles. Throws NoDeviceError,
  // WorkloadError. The template and the compiler must outlive the measurer. `progress` is called between a trial's
  // steps; as long as the calls come, nothing hangs. `opened` is the device, if it is open already. `cache` keeps the
  // template's functions and what they compute.
  Measurer(
      const KernelTemplate& kernel, search::NamedValues constants, const DeviceInfo& device, BackendOptions options,
      MeasurePolicy policy, Compiler& compiler, CacheOptions cache = {}, std::function<void()> progress = [] {},
      std::unique_ptr<Device> opened = {});

  // Runs one configuration. `scope` holds sizes, limits and the configuration's values. Fills outcome, message,
  // resources, measurement and the phases verify_ms and measure_ms. A trial that ruins the device's context says so,
  // and the next one tries a fresh context. Throws DeviceLostError if no fresh context can be made.
  void run(const MachineCode& code, const search::NamedValues& scope, Purpose purpose, search::Trial& trial);

  // Changes to other sizes of the same template. What was set up for them before is used again, if it is still there.
  // Throws WorkloadError; there is no problem then until the next call.
  void turn_to(search::NamedValues constants);

  // Sets the rivals of later trials, as Evaluator::race_against says.
  void race_against(const Rivals& rivals);

  // Returns the device for a measurer of another problem, since opening it takes longer than all else. This measurer
  // cannot be used afterwards.
  std::unique_ptr<Device> release();

  // Returns what is expected of the present problem's outputs (Workload::expected_outputs).
  const std::vector<search::ExpectedOutput>& expected_outputs() const {
    return problems_.front().workload->expected_outputs();
  }

  // Returns false once a trial has ruined the context.
  bool usable() const { return lost_.empty(); }

 private:
  // A problem's data and the runner on them. The runner refers to the workload.
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
  // The order matters, for the later members refer to the earlier ones.
  std::unique_ptr<Device> device_;
  std::list<Problem> problems_;  // the present one first, then those left most recently
  Rivals rivals_;                // kept for runners that are made later
  std::string lost_;             // the code of the error that ruined the context; empty while it is sound
};

// Returns the device's backend. Throws NoDeviceError for an unknown one.
const BackendEntry& backend_of(const DeviceInfo& device);

}  // namespace warptune::tuner
