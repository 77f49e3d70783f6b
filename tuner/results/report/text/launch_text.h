// Writes what a configuration launches, as people read it.
#pragma once

#include <string>

#include "tuner/kernel/kernel_template.h"

namespace warptune::tuner {

// Returns a line for each launch, equal ones in a row counted: "saxpy: grid 157, block 64, no dynamic shared memory",
// "3 × step: grid 16 x 16, block 32 x 8, 4096 bytes of dynamic shared memory". `scope` is as for make_plan, whose
// errors this throws. It is empty for a program's own launches, which only its functions know.
std::string launches_text(const KernelTemplate& kernel, const search::NamedValues& scope);

}  // namespace warptune::tuner
