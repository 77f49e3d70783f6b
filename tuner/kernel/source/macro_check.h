// Checks a template's macros. Parameters reach a kernel as macros, which nothing forces the source to use. What makes
// them do nothing, or do harm, is found in the text before anything is measured.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tuner/kernel/kernel_template.h"
#include "tuner/system/files.h"

namespace warptune::tuner {

// A SourceReader returns the text of a file, or nothing if it cannot be read.
using SourceReader = std::function<std::optional<std::string>(const std::filesystem::path&)>;

// MacroUse is what the source and its headers do with the template's defines.
struct MacroUse {
  std::set<std::string> used;
  std::set<std::string> replaced;  // defined, undefined or declared as something else
  bool incomplete = false;         // a use may have been missed
};
MacroUse macro_use(const KernelTemplate& kernel, const SourceReader& read = read_file);

// Returns the parameters with several values that neither a source nor a launch, define, temporary, scalar or option
// uses.
std::vector<std::string> unused_parameters(const KernelTemplate& kernel, const SourceReader& read = read_file);

// Reads the kernel's source and every header that it includes from its own folder or the include directories. Finds
//  - a #define or #undef of a parameter's name, unless it stands where the parameter is not defined (#ifndef);
//  - a declaration with a parameter's name (a function's or template's parameter, a variable, a member), of which the
//    compiler sees nothing but the value;
//  - a parameter with several values that no source and no launch, define, temporary, scalar or option uses.
// Throws ManifestError with a line for each, naming file and line and what to do. Where names are pasted together (##)
// or an include cannot be found, no parameter is called unused.
void check_macros(const KernelTemplate& kernel, const SourceReader& read = read_file);

}  // namespace warptune::tuner
