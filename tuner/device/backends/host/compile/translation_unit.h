// Writes what the C++ compiler gets to see: the shim, the defines, the user's source, and an entry for each kernel.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tuner/device/compile/compiler.h"

namespace warptune::tuner::host {

// Returns the options without those that define macros ("-DN=4", "-D N"). The translation unit has these macros behind
// the shim as lines, because on the command line they would reach into it. Names that begin with an underscore and
// NDEBUG stay options, because they tell the C library and the shim what to declare.
std::vector<std::string> options_without_macros(const std::vector<std::string>& options);

// Returns the translation unit. Lines of the user's source keep their numbers and its name in the compiler's messages.
std::string translation_unit(const CompileRequest& request);

// Returns, by name expression, the exported KernelEntry or SymbolEntry of shim/abi.h.
std::map<std::string, std::string> linkage_names(const CompileRequest& request);

}  // namespace warptune::tuner::host
