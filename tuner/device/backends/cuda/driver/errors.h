// Says what a driver's error means for a trial. The table is in README.md.
#pragma once

#include <cuda.h>

#include <string>

#include "tuner/device/backends/cuda/driver/driver.h"
#include "tuner/device/device_error.h"

namespace warptune::tuner::cuda {

// Says what was being done. CUDA_ERROR_INVALID_VALUE of a launch means a geometry that the device does not have.
enum class Step { launch, other };

struct ErrorClass {
  search::Outcome outcome = search::Outcome::launch_error;
  bool sticky = false;
  const char* advice = "";  // what to do next
};

ErrorClass classify(CUresult result, Step step);

// Returns an error with the message "launching gemm … on cuda:0 (NVIDIA H200) failed: CUDA_ERROR_… (…); what to do".
DeviceError device_error(const Driver& driver, CUresult result, Step step, const std::string& attempted,
                         const std::string& device);

}  // namespace warptune::tuner::cuda
