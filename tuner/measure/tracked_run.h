// Runs configurations on the host and reports every memory access (device/access_report.h). `warptune run --sanitize`
// and `--count` show the results, and the effects of techniques are computed from them.
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
  search::Outcome outcome = search::Outcome::correct;  // how the run ended; tracked runs are not timed
  std::string message;
  search::NamedValues configuration = {};
  AccessLog log = {};

  bool clean() const { return outcome == search::Outcome::correct && log.findings.empty(); }
  // Returns the sum over all launches.
  AccessCounts counts() const;
};

// Says what a tracked run looks for.
struct Tracking {
  bool races = true, counts = true;
  // Called once, from another thread, if the kernels have run for longer than the options' `kernel_timeout_s`. It has
  // to end the process, since nothing can stop the kernels. Without it, they have no time limit.
  std::function<void(const TrackedRun&)> on_timeout = {};
};

class TrackedRuns {
 public:
  // `constants` are sizes, variants and the device's limits. `device` is one of the host backend's. `compiler` compiles
  // what is not tracked: the reference, and the kernels that fill and compare. The template and the compiler must
  // outlive this object. If `verify` is false, results are not compared. Throws NoDeviceError, WorkloadError.
  TrackedRuns(const KernelTemplate& kernel, search::NamedValues constants, const DeviceInfo& device,
              BackendOptions options, Compiler& compiler, bool verify);

  // Runs a configuration once. The code is compiled anew each time, since the report contains the lines of the source.
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
