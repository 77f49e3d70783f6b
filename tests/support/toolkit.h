// Where tests look for CUDA's compiler first: $CUDA_HOME, else the toolkit that the build was configured with.
#pragma once

#include <cstdlib>
#include <filesystem>

#include "tuner/device/backend.h"

namespace warptune {

inline tuner::BackendOptions toolkit_options() {
  const char* named = std::getenv("CUDA_HOME");
  const std::filesystem::path root = named ? named : WARPTUNE_CUDA_ROOT;
  tuner::BackendOptions options;
  for (const char* folder : {"lib64", "lib"}) options.library_directories.push_back(root / folder);
  options.cuda_include_directories = {root / "include"};
  return options;
}

}  // namespace warptune
