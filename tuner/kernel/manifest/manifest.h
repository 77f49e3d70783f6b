// Loads a kernel template from its manifest in TOML.
#pragma once

#include <filesystem>
#include <string>

#include "search/error.h"
#include "tuner/kernel/kernel_template.h"

namespace warptune::tuner {

// A ManifestError says what is wrong in a manifest: "gemm/template.toml:12: arguments.A.type: expected …".
using ManifestError = search::ErrorOf<search::ErrorKind::manifest>;

// Reads and validates `template.toml` (templates/MANIFEST.md is the reference). `path` is the file or its folder.
// Throws ManifestError naming file, line, key and what was expected.
KernelTemplate load_manifest(const std::filesystem::path& path);
// Does the same for a manifest's text. `file` says where it is (or would be) and where other files are looked for.
KernelTemplate parse_manifest(const std::string& text, const std::filesystem::path& file);

}  // namespace warptune::tuner
