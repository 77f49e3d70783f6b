// Questions that are answered by a short-lived worker, because this process must not open a GPU's driver.
#pragma once

#include "tuner/device_choice.h"
#include "tuner/measure/compiler_facts.h"
#include "tuner/workers/process.h"
#include "tuner/workers/setup.h"

namespace warptune::workers {

// Throws NoDeviceError if the worker dies of it.
DeviceList list_devices(const Program& program, const BackendOptions& options);

// Throws what a set-up throws.
CompilerFacts compiler_facts(const Program& program, const Setup& setup, const DeviceInfo& device);

}  // namespace warptune::workers
