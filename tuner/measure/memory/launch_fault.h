// What is said where an expression of the manifest has no value: it divides by zero, or overflows.
#pragma once

#include <fmt/format.h>

#include <string>

#include "tuner/kernel/kernel_template.h"

namespace warptune::tuner {

// "saxpy/template.toml: …"; without a file for what a program gave.
inline std::string fault_in_manifest(const KernelTemplate& kernel, const std::string& what) {
  const std::string file = kernel.shown(kernel.manifest).string();
  return file.empty() ? what : fmt::format("{}: {}", file, what);
}

// Of a trial.
inline std::string launch_fault(const KernelTemplate& kernel, const std::string& what) {
  return fault_in_manifest(kernel, "its launch cannot be computed: " + what);
}

}  // namespace warptune::tuner
