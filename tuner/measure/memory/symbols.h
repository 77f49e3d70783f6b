// Fills the variables of a module that hold arguments.
#pragma once

#include <functional>
#include <string>

#include "tuner/device/device.h"
#include "tuner/kernel/kernel_template.h"

namespace warptune::tuner {

// Copies the arguments that live in __constant__ or __device__ variables into the module's. Throws DeviceError if a
// variable is too small.
void fill_symbols(const KernelTemplate& kernel, Module& module, Device& device,
                  const std::function<MemorySpan(const std::string&)>& find_buffer);

}  // namespace warptune::tuner
