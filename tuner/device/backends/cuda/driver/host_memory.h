// The host's memory as the driver has it, one class for each kind.
#pragma once

#include <memory>

#include "tuner/device/backends/cuda/driver/context.h"
#include "tuner/device/device.h"

namespace warptune::tuner::cuda {

// Throws DeviceError, a resource_limit where the device has none of this kind.
std::unique_ptr<HostMemory> allocate_host_memory(Context& context, std::size_t bytes, HostMemoryKind kind);

}  // namespace warptune::tuner::cuda
