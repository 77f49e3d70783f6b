// Words the message for an expression of the manifest that has no value: it divides by zero, or overflows.
#pragma once

#include <fmt/format.h>

#include <string>

#include "tuner/kernel/kernel_template.h"

namespace warptune::tuner {

// Returns "saxpy/template.toml: …", or the bare message for a template that a program gave without a file.
inline std::string fault_in_manifest(const KernelTemplate& kernel, const std::string& what) {
  const std::string file = kernel.shown(kernel.manifest).string();
  return file.empty() ? what : fmt::format("{}: {}", file, what);
}

// Returns the message of a trial whose launch cannot be computed.
inline std::string launch_fault(const KernelTemplate& kernel, const std::string& what) {
  return fault_in_manifest(kernel, "its launch cannot be computed: " + what);
}

}  // namespace warptune::tuner
