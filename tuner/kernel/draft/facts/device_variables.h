// Finds the __constant__ and __device__ variables that kernels reach, through whatever they call.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tuner/kernel/source/source_outline.h"

namespace warptune::tuner::draft {

// Returns every word of the kernels, and of the functions, macros, types and variables that these name, and so on. It
// leaves out members, and what a function's own parameters hide. An empty list of kernels stands for all of them.
std::set<std::string> reached_words(const SourceOutline& outline, const std::set<std::string>& kernels);

struct DeviceVariable {
  std::string name, scope;  // "weights" and "img::"
  std::string header;       // the header that `line` is in; empty: the source itself
  int line = 0;
  bool is_constant = false;  // __constant__, which no kernel writes
  bool is_filled = false;    // its value follows: = {1, 2}
};
// Returns the variables without `extern` ones, which another file fills.
std::vector<DeviceVariable> device_variables(const SourceOutline& outline);

// Returns whether code of the device may write to the variable: by an assignment, a step, an address that is taken, or
// an array that is handed on.
bool may_be_written(const SourceOutline& outline, const std::string& name);

// A SymbolCopy is a call of cudaMemcpyToSymbol that names a variable.
struct SymbolCopy {
  std::string symbol;
  int line = 0;
  const SourceItem* function = nullptr;
  std::size_t place = 0;  // in the function's body
  TokenSpan from;
};
std::vector<SymbolCopy> symbol_copies(const std::vector<const SourceItem*>& functions);

}  // namespace warptune::tuner::draft
