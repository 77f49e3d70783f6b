// NVIDIA's management library, opened at run time if it is there; it comes with the driver.
#pragma once

#include <string>

#include "tuner/backends/backend.h"

namespace warptune::cuda {

// The driver's own version ("580.159.04"), which libcuda does not tell; empty without NVML.
std::string nvml_driver_version(const BackendOptions& options);

}  // namespace warptune::cuda
