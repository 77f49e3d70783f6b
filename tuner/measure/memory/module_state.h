// Fills the variables of a module that hold arguments, and watches what a kernel keeps in its module's variables from
// one run to the next. A run that leaves them unchanged lets every later run begin like the first one. A run that
// changes them could count its runs, or remember its results. Variables that are filled before each run hold inputs,
// which no kernel may write, or are declared as scratch memory.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/device/device.h"
#include "tuner/kernel/kernel_template.h"

namespace warptune::tuner {

// A variable, or the beginning of one, that is filled before each run.
struct FilledVariable {
  MemorySpan span;
  std::string input;        // the argument that it is filled from; empty: scratch memory
  MemorySpan content = {};  // for an input: the memory that it is filled from
};

class ModuleState {
 public:
  // Stores the present contents of the variables, except for the parts that are filled. Waits for queued work. Module
  // and device must outlive the state.
  ModuleState(Module& module, Device& device, std::vector<FilledVariable> filled);

  // Returns the name of the first variable that has changed since then; empty if none has. Waits for queued work.
  std::string changed();
  // Returns the name of the first input whose variable no longer holds it; empty if there is none. Waits for queued
  // work.
  std::string written_input();

 private:
  struct Variable {
    std::string name;
    MemorySpan span;
    std::vector<std::byte> start;
  };
  Device& device_;
  std::vector<FilledVariable> filled_;
  std::vector<Variable> variables_;
};

// Copies the arguments that live in __constant__ or __device__ variables into the module's. Throws DeviceError if a
// variable is too small.
void fill_symbols(const KernelTemplate& kernel, Module& module, Device& device,
                  const std::function<MemorySpan(const std::string&)>& find_buffer);

}  // namespace warptune::tuner
