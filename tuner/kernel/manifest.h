#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

#include "tuner/kernel/kernel_template.h"

namespace warptune::tuner {

// What is wrong in a manifest: "gemm/template.toml:12: arguments.A.type: expected …".
class ManifestError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Reads and validates `template.toml` (templates/README.md is the reference). `path` is the file or its folder.
// Throws ManifestError naming file, line, key and what was expected.
KernelTemplate load_manifest(const std::filesystem::path& path);

}  // namespace warptune::tuner
