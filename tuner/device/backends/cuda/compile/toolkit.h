// Finds where CUDA's libraries and headers usually lie on a machine.
#pragma once

#include <filesystem>
#include <vector>

#include "tuner/device/backend.h"

namespace warptune::tuner::cuda {

// Returns the folders to search for libraries after the loader's own search: those beside the options' headers, then
// the usual places.
std::vector<std::filesystem::path> library_folders(const BackendOptions& options);

// Returns the folders for a kernel's #include of the toolkit's headers: the options' folders, then the first of those
// beside NVRTC and of the usual ones that holds cuda_fp16.h.
std::vector<std::filesystem::path> include_folders(const BackendOptions& options, const std::filesystem::path& nvrtc);

}  // namespace warptune::tuner::cuda
