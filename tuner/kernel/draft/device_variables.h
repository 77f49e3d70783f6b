// __constant__ and __device__ variables that kernels reach, through whatever they call.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tuner/kernel/source/source_outline.h"

namespace warptune::tuner::draft {

// Every word of the kernels, and of the functions, macros, types and variables that these name, and so on: without what
// a function's own parameters hide, and without members. For an empty list of kernels: of all of them.
std::set<std::string> reached_words(const SourceOutline& outline, const std::set<std::string>& kernels);

struct DeviceVariable {
  std::string name, scope;  // "weights" and "img::"
  std::string header;       // whose line it has; empty: the source's
  int line = 0;
  bool is_constant = false;  // __constant__, which no kernel writes
  bool is_filled = false;    // its value follows: = {1, 2}
};
// Without `extern` ones, which another file fills.
std::vector<DeviceVariable> device_variables(const SourceOutline& outline);

// Whether code of the device may write to the variable: an assignment, a step, an address that is taken, an array that
// is handed on.
bool may_be_written(const SourceOutline& outline, const std::string& name);

// A call of cudaMemcpyToSymbol that names a variable.
struct SymbolCopy {
  std::string symbol;
  int line = 0;
  const SourceItem* function = nullptr;
  std::size_t place = 0;  // in the function's body
  TokenSpan from;
};
std::vector<SymbolCopy> symbol_copies(const std::vector<const SourceItem*>& functions);

}  // namespace warptune::tuner::draft
