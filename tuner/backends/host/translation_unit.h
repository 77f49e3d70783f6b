// What the C++ compiler gets to see: the shim, the defines, the user's source, and a way in for each kernel.
#pragma once

#include <map>
#include <string>

#include "tuner/device/compiler.h"

namespace warptune::tuner::host {

// Lines of the user's source keep their numbers and its name in the compiler's messages.
std::string translation_unit(const CompileRequest& request);

// Name expression -> the exported KernelEntry or SymbolEntry of shim/abi.h.
std::map<std::string, std::string> linkage_names(const CompileRequest& request);

}  // namespace warptune::tuner::host
