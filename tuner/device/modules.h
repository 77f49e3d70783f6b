// A configuration of several sources is several modules; to whoever launches its kernels they are one.
#pragma once

#include <memory>

#include "tuner/device/device.h"

namespace warptune::tuner {

// The code with all that is `more` of it. Throws DeviceError.
std::unique_ptr<Module> load_all(Device& device, const MachineCode& code);

}  // namespace warptune::tuner
