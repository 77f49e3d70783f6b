#pragma once

#include <filesystem>

#include "tuner/kernel/kernel_template.h"

namespace warptune::tuner {

// A kernel template from its manifest: TOML, or a T1 file (.json). Throws ManifestError or RequestError.
KernelTemplate load_template(const std::filesystem::path& file);

}  // namespace warptune::tuner
