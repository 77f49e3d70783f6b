// Examines the driver, NVRTC, the toolkit's headers, nvJitLink, NVML and CUPTI, for `warptune doctor`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/device/examination.h"

namespace warptune::tuner::cuda {

// Returns the examinations in the order in which they depend on each other.
std::vector<Examination> examinations();

std::vector<Finding> examine_driver(const BackendOptions& options);
std::vector<Finding> examine_nvrtc(const BackendOptions& options);    // really compiles
std::vector<Finding> examine_headers(const BackendOptions& options);  // as kernels include them
std::vector<Finding> examine_linker(const BackendOptions& options);
std::vector<Finding> examine_sensors(const BackendOptions& options);   // NVML
std::vector<Finding> examine_counters(const BackendOptions& options);  // CUPTI

// Returns the headers that none of the folders holds, of those that kernels include most.
std::vector<std::string> missing_headers(const std::vector<std::filesystem::path>& folders);

// Returns whether CUDA is expected to work here, because there is a GPU or at least a driver. Where it is not, what is
// missing for it is no finding.
bool is_expected(const BackendOptions& options);

}  // namespace warptune::tuner::cuda
