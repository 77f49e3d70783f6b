// Loads a configuration of several sources, which is several modules, as one module for whoever launches its kernels.
#pragma once

#include <memory>

#include "tuner/device/device.h"

namespace warptune::tuner {

// Loads the code with all that is `more` of it. Throws DeviceError.
std::unique_ptr<Module> load_all(Device& device, const MachineCode& code);

}  // namespace warptune::tuner
