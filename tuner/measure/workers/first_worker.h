// Lets a worker answer questions before there is a pool, because this process must not open a GPU's driver.
#pragma once

#include <memory>

#include "tuner/device/backends/device_choice.h"
#include "tuner/measure/compilation/compiler_facts.h"
#include "tuner/measure/workers/process.h"
#include "tuner/measure/workers/requests.h"

namespace warptune::tuner::workers {

// The first worker of a session. It first answers what devices there are, and later measures: starting a driver and
// loading a compiler take a second or more, and it has done both by then.
class FirstWorker {
 public:
  // Takes a worker that measures from the idle ones, or starts one if there is none.
  explicit FirstWorker(const Program& program, IdleWorkers* idle_workers = nullptr);

  // Returns this machine's devices. Throws NoDeviceError if the worker dies of the question or is silent for a minute.
  DeviceList list_devices(const BackendOptions& options);
  // Returns the facts about the template's compilation. Throws what a set-up throws.
  CompilerFacts compiler_facts(const Setup& setup, const DeviceInfo& device);

  // Returns the worker's process, for a pool (measure/workers/pool.h). Nothing can be asked afterwards; a second call
  // returns null.
  std::unique_ptr<Process> release() { return std::move(process_); }

 private:
  std::unique_ptr<Process> process_;
};

}  // namespace warptune::tuner::workers
