// What a trial says whose launch has no value: an expression of the manifest divides by zero, or overflows.
#pragma once

#include <fmt/format.h>

#include <string>

#include "tuner/kernel/kernel_template.h"

namespace warptune::tuner {

// "saxpy/template.toml: its launch cannot be computed: launches[0].grid = …"; without a file for what a program gave.
inline std::string launch_fault(const KernelTemplate& kernel, const std::string& what) {
  const std::string file = kernel.shown(kernel.manifest).string();
  return fmt::format("{}{}its launch cannot be computed: {}", file, file.empty() ? "" : ": ", what);
}

}  // namespace warptune::tuner
