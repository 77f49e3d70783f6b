// Questions that a worker answers before there is a pool, because this process must not open a GPU's driver.
#pragma once

#include <memory>

#include "tuner/device/backends/device_choice.h"
#include "tuner/measure/compilation/compiler_facts.h"
#include "tuner/measure/workers/crew.h"
#include "tuner/measure/workers/process.h"
#include "tuner/measure/workers/setup.h"

namespace warptune::tuner::workers {

// The first worker of a session. It is asked what there is, and then measures: starting a driver and loading a compiler
// take a second or more, and it has done both by then.
class FirstWorker {
 public:
  // One of the crew, if there is one that measures.
  explicit FirstWorker(const Program& program, Crew* crew = nullptr);

  // Throws NoDeviceError if the worker dies of it or is silent for a minute.
  DeviceList list_devices(const BackendOptions& options);
  // Throws what a set-up throws.
  CompilerFacts compiler_facts(const Setup& setup, const DeviceInfo& device);

  // Its process, for a pool (measure/workers/pool.h). Nothing can be asked afterwards; a second call gives nothing.
  std::unique_ptr<Process> release() { return std::move(process_); }

 private:
  std::unique_ptr<Process> process_;
};

}  // namespace warptune::tuner::workers
