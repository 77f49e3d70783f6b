// Prepares what comes before any search: the template, the devices, the problem, and an evaluator for them. The
// evaluator works in this process or in workers, as the request says.
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

// Holds a kernel template for one problem on one device, or on several devices of one model; or it holds a recording
// (replay.h).
struct PreparedProblem {
  KernelTemplate kernel;
  std::vector<DeviceInfo> devices;
  Problem instance;               // sizes and variants
  search::NamedValues constants;  // sizes, variants and device limits
  std::shared_ptr<const replay::Recording> recording = {};
  db::SessionKey recorded_as = {};                          // the recording's key
  std::shared_ptr<const SessionFiles> texts = {};           // all that the session reads, as it was at its start
  std::shared_ptr<workers::FirstWorker> first_worker = {};  // found the devices, if the request has workers

  const DeviceInfo& device() const { return devices.front(); }
};

// Reads the template, finds the devices and resolves the problem's sizes and variants. Throws ManifestError,
// RequestError, NoDeviceError.
PreparedProblem prepare_problem(const TuneRequest& request);

// Returns what the session's key needs to know of the compiler, which is nothing for a recording. Throws NoDeviceError.
CompilerFacts learn_of_compiler(const TuneRequest& request, const PreparedProblem& problem);

// These functions are told of the set-up: during calls to the evaluator where there are workers, else during
// `open_evaluator`. Either may be empty.
struct SetupEvents {
  std::function<void(const std::string& step)> on_step = {};
  // It is called before the first trial is measured. Without it, outputs that nothing can be verified by are a
  // WorkloadError (measure/verification/expected_outputs.h). With it, the callee judges them.
  std::function<void(const std::vector<search::ExpectedOutput>&)> on_expected = {};
};

// `open_evaluator` opens the evaluator that the request asks for. The problem and the space must outlive it; `stop` is
// for workers (measure/workers/pool.h). Throws NoDeviceError, WorkloadError.
struct OpenEvaluator {
  std::unique_ptr<Evaluator> evaluator;
  workers::WorkerPool* pool = nullptr;  // this machine's workers, if there are any
  agents::Fleet* fleet = nullptr;       // the evaluator itself, if other machines take part
  // The devices have the clocks and power caps that the policy asks for as long as these live.
  std::vector<std::shared_ptr<workers::HeldSettings>> settings = {};
};
OpenEvaluator open_evaluator(const TuneRequest& request, const PreparedProblem& problem, const CompilerFacts& compiler,
                             const search::SearchSpace& space, const std::atomic<bool>& stop, SetupEvents events = {});

// Throws RequestError for a parameter that the template does not have, and for a value outside a parameter's domain,
// with that domain.
void require_known_values(const KernelTemplate& kernel, const search::NamedValues& configuration);

// `run_once` compiles, verifies and measures one configuration, without a search or a store. Parameters that the
// configuration leaves out have their default values. It throws RequestError for names that are not the template's
// parameters and for what its constraints forbid, and what the steps above throw.
struct SingleRun {
  PreparedProblem problem;
  search::NamedValues configuration;  // whole, with the defaults of what was not given
  search::Trial trial;
  std::vector<search::ExpectedOutput> expected;  // of each output that is compared
};
SingleRun run_once(const TuneRequest& request, const search::NamedValues& configuration, const std::atomic<bool>& stop);

// Runs one configuration on the host, in this process. It reports every memory access as `tracking` asks, and measures
// nothing. Throws RequestError for another device.
TrackedRun track_once(const TuneRequest& request, const search::NamedValues& configuration, const Tracking& tracking);

}  // namespace warptune::tuner
