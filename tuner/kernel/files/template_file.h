// Loads a kernel template from a file of any format.
#pragma once

#include <filesystem>

#include "tuner/kernel/kernel_template.h"

namespace warptune::tuner {

// Returns a kernel template from its manifest, which is TOML or a T1 file (.json). Throws ManifestError or
// RequestError.
KernelTemplate load_template(const std::filesystem::path& file);

}  // namespace warptune::tuner
