// Finds the facts about compilers that a session's key depends on.
#pragma once

#include <string>

#include "tuner/device/compile/compiler.h"
#include "tuner/kernel/kernel_template.h"

namespace warptune::tuner {

// The facts about a template's compilation that a session's key depends on.
struct CompilerFacts {
  std::string version;       // the compiler's version
  std::string preprocessed;  // the source at the default configuration, with all its includes
};

// Returns the facts for a template. `constants` are sizes and device limits.
CompilerFacts compiler_facts(const KernelTemplate& kernel, const std::string& backend, Compiler& compiler,
                             const search::NamedValues& constants);

}  // namespace warptune::tuner
