// What comes before any search: the template, the devices, the problem, and an evaluator for them. Here or in workers,
// as the request says.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "db/records.h"
#include "search/expected_output.h"
#include "search/space/search_space.h"
#include "tuner/kernel/files/session_files.h"
#include "tuner/kernel/problem.h"
#include "tuner/measure/compilation/compiler_facts.h"
#include "tuner/measure/device_evaluator.h"
#include "tuner/measure/tracked_run.h"
#include "tuner/session/request.h"

namespace warptune::tuner {

namespace agents {
class Fleet;
}
namespace replay {
class Recording;
}
namespace workers {
class HeldSettings;
class FirstWorker;
class WorkerPool;
}  // namespace workers

// A kernel template for one problem on one device, or on several of one model; or a recording (replay.h).
struct PreparedProblem {
  KernelTemplate kernel;
  std::vector<DeviceInfo> devices;
  Problem instance;               // sizes and variants
  search::NamedValues constants;  // both, and device limits
  std::shared_ptr<const replay::Recording> recording = {};
  db::SessionKey recorded_as = {};                          // of the recording
  std::shared_ptr<const SessionFiles> texts = {};           // all that the session reads, as it was at its start
  std::shared_ptr<workers::FirstWorker> first_worker = {};  // who found the devices, if the request has workers

  const DeviceInfo& device() const { return devices.front(); }
};

// Throws ManifestError, RequestError, NoDeviceError.
PreparedProblem prepare_problem(const TuneRequest& request);

// Throws NoDeviceError.
CompilerFacts learn_of_compiler(const TuneRequest& request, const PreparedProblem& problem);

// What is told of a set-up, from calls to the evaluator where there are workers, else from `open_evaluator`. Either may
// be empty.
struct SetupEvents {
  std::function<void(const std::string& step)> on_step = {};
  // Before the first trial is measured. Without it, outputs that nothing can be verified by are a WorkloadError
  // (measure/verification/expected_outputs.h); with it, that is for the callee to judge.
  std::function<void(const std::vector<search::ExpectedOutput>&)> on_expected = {};
};

// The problem and the space must outlive the evaluator; `stop` is for workers (measure/workers/pool.h). Throws
// NoDeviceError, WorkloadError.
struct OpenEvaluator {
  std::unique_ptr<Evaluator> evaluator;
  workers::WorkerPool* pool = nullptr;  // that of this machine, if there are workers
  agents::Fleet* fleet = nullptr;       // the evaluator, if it has other machines
  // The clocks and power caps that the policy asks for, as long as this lives.
  std::vector<std::shared_ptr<workers::HeldSettings>> settings = {};
};
OpenEvaluator open_evaluator(const TuneRequest& request, const PreparedProblem& problem, const CompilerFacts& compiler,
                             const search::SearchSpace& space, const std::atomic<bool>& stop, SetupEvents events = {});

// Throws RequestError for a parameter that the template does not have, and for a value outside a parameter's domain,
// with that domain.
void require_known_values(const KernelTemplate& kernel, const search::NamedValues& configuration);

// One configuration compiled, verified and measured, without a search or a store; what it leaves out is the default's.
// Throws RequestError for names that are not the template's parameters and for what its constraints forbid, and what
// the steps above throw.
struct SingleRun {
  PreparedProblem problem;
  search::NamedValues configuration;  // whole, with the defaults of what was not given
  search::Trial trial;
  std::vector<search::ExpectedOutput> expected;  // of each output that is compared
};
SingleRun run_once(const TuneRequest& request, const search::NamedValues& configuration, const std::atomic<bool>& stop);

// The same on the host, in this process, with every memory access told of and nothing measured. Throws RequestError for
// another device.
TrackedRun track_once(const TuneRequest& request, const search::NamedValues& configuration, const Tracking& tracking);

}  // namespace warptune::tuner
