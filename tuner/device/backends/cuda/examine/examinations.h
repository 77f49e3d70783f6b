// What can be wrong with the driver, NVRTC, the toolkit's headers, nvJitLink, NVML and CUPTI: for `warptune doctor`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/device/examination.h"

namespace warptune::tuner::cuda {

// In the order in which they depend on each other.
std::vector<Examination> examinations();

std::vector<Finding> examine_driver(const BackendOptions& options);
std::vector<Finding> examine_nvrtc(const BackendOptions& options);    // really compiles
std::vector<Finding> examine_headers(const BackendOptions& options);  // as kernels include them
std::vector<Finding> examine_linker(const BackendOptions& options);
std::vector<Finding> examine_sensors(const BackendOptions& options);   // NVML
std::vector<Finding> examine_counters(const BackendOptions& options);  // CUPTI

// Of the headers that kernels include most, those that none of the folders holds.
std::vector<std::string> missing_headers(const std::vector<std::filesystem::path>& folders);

// Whether anybody expects CUDA to work here: there is a GPU, or at least a driver. Where not, what is missing for it is
// no finding.
bool is_expected(const BackendOptions& options);

}  // namespace warptune::tuner::cuda
