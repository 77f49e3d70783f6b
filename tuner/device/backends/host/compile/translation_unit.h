// What the C++ compiler gets to see: the shim, the defines, the user's source, and a way in for each kernel.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tuner/device/compile/compiler.h"

namespace warptune::tuner::host {

// Options without those that define macros ("-DN=4", "-D N"), which the translation unit has behind the shim as lines:
// on the command line they would reach into it. Names that begin with an underscore and NDEBUG stay options, which tell
// the C library and the shim what to declare.
std::vector<std::string> options_without_macros(const std::vector<std::string>& options);

// Lines of the user's source keep their numbers and its name in the compiler's messages.
std::string translation_unit(const CompileRequest& request);

// Name expression -> the exported KernelEntry or SymbolEntry of shim/abi.h.
std::map<std::string, std::string> linkage_names(const CompileRequest& request);

}  // namespace warptune::tuner::host
