// Runs of configurations on the host whose every memory access is told of (device/access_report.h): what
// `warptune run --sanitize` and `--count` show, and what the effects of techniques are computed from.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "search/trial.h"
#include "search/value.h"
#include "tuner/device/access_report.h"
#include "tuner/device/backend.h"
#include "tuner/kernel/kernel_template.h"
#include "tuner/measure/verification/workload.h"

namespace warptune::tuner {

struct TrackedRun {
  search::Outcome outcome = search::Outcome::correct;  // its time means nothing
  std::string message;
  search::NamedValues configuration = {};
  AccessLog log = {};

  bool clean() const { return outcome == search::Outcome::correct && log.findings.empty(); }
  // Over all launches.
  AccessCounts counts() const;
};

// What to look for.
struct Tracking {
  bool races = true, counts = true;
  // Called once, from another thread, if the kernels have run for longer than the options' `kernel_timeout_s`. Nothing
  // can stop them, so it has to end the process. None: they may take as long as they do.
  std::function<void(const TrackedRun&)> on_timeout = {};
};

class TrackedRuns {
 public:
  // `constants` are sizes, variants and the device's limits; `device` one of the host backend's. `compiler` is for what
  // is not tracked: the reference, and the kernels that fill and compare. The template and the compiler must outlive
  // it. With `verify` false results are not compared. Throws NoDeviceError, WorkloadError.
  TrackedRuns(const KernelTemplate& kernel, search::NamedValues constants, const DeviceInfo& device,
              BackendOptions options, Compiler& compiler, bool verify);

  // Once. Compiled anew each time: the lines of the source are part of what is told.
  TrackedRun run(const search::NamedValues& configuration, const Tracking& tracking);

 private:
  void run(const MachineCode& code, const search::NamedValues& scope, TrackedRun& run);
  TrackedRun timed_out(const search::NamedValues& configuration) const;

  const KernelTemplate& kernel_;
  double kernel_timeout_s_;
  search::NamedValues constants_;
  std::shared_ptr<AccessLog> log_;
  std::unique_ptr<Compiler> tracking_compiler_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<Workload> workload_;
};

}  // namespace warptune::tuner
