// What a kernel keeps in its module's variables from one run to the next. A run that leaves them as it found them
// begins like the first one, however often it runs; one that does not could count its runs, or remember its results.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "tuner/device/device.h"

namespace warptune::tuner {

class ModuleState {
 public:
  // Notes the variables as they are now, but those that overlap one of `others`. Waits for queued work. Both must
  // outlive the state.
  ModuleState(Module& module, Device& device, const std::vector<MemorySpan>& others);

  // The name of the first variable that has changed since; empty if none has. Waits for queued work.
  std::string changed();

 private:
  struct Variable {
    std::string name;
    MemorySpan span;
    std::vector<std::byte> start;
  };
  Device& device_;
  std::vector<Variable> variables_;
};

}  // namespace warptune::tuner
