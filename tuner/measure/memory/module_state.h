// What a kernel keeps in its module's variables from one run to the next. A run that leaves them as it found them
// begins like the first one, however often it runs; one that does not could count its runs, or remember its results.
// Variables that are filled before each run hold inputs, which no kernel may write, or are declared as scratch memory.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "tuner/device/device.h"

namespace warptune::tuner {

// A variable, or its beginning, that is filled before each run.
struct FilledVariable {
  MemorySpan span;
  std::string input;        // the argument that it is filled from; empty: scratch memory
  MemorySpan content = {};  // what an input's holds
};

class ModuleState {
 public:
  // Notes the variables as they are now, but what is filled of them. Waits for queued work. Both must outlive the
  // state.
  ModuleState(Module& module, Device& device, std::vector<FilledVariable> filled);

  // The name of the first variable that has changed since; empty if none has. Waits for queued work.
  std::string changed();
  // The name of the first input whose variable no longer holds it; empty if none. Waits for queued work.
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

}  // namespace warptune::tuner
