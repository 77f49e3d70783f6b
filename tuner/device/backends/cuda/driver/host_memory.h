// Allocates host memory of every kind for a device of the CUDA backend.
#pragma once

#include <memory>

#include "tuner/device/backends/cuda/driver/context.h"
#include "tuner/device/device.h"

namespace warptune::tuner::cuda {

// Allocates memory of this kind. Throws DeviceError, a resource_limit where the device has none of this kind.
std::unique_ptr<HostMemory> allocate_host_memory(Context& context, std::size_t bytes, HostMemoryKind kind);

}  // namespace warptune::tuner::cuda
