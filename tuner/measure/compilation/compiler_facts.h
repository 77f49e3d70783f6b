#pragma once

#include <string>

#include "tuner/device/compile/compiler.h"
#include "tuner/kernel/kernel_template.h"

namespace warptune::tuner {

// What a session's key needs to know of a template's compilation.
struct CompilerFacts {
  std::string version;       // the compiler's
  std::string preprocessed;  // the source at the default configuration, with all its includes
};

// `constants`: sizes and device limits.
CompilerFacts compiler_facts(const KernelTemplate& kernel, const std::string& backend, Compiler& compiler,
                             const search::NamedValues& constants);

}  // namespace warptune::tuner
