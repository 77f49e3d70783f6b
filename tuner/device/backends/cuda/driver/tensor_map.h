// Declares how the driver makes a tensor map.
#pragma once

#include "tuner/device/backends/cuda/driver/driver.h"
#include "tuner/device/device.h"

namespace warptune::tuner::cuda {

// Makes a tensor map. It costs no more than some hundred nanoseconds, and nothing on the device. Throws
// DeviceError(resource_limit) if the driver is older than CUDA 12.0, the device is older than compute capability 9.0,
// or the view breaks a rule. The device's context must be current.
TensorMap encode_tensor_map(const Driver& driver, const DeviceInfo& device, const TensorView& view, MemorySpan memory);

}  // namespace warptune::tuner::cuda
