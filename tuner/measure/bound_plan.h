#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tuner/kernel/plan.h"
#include "tuner/measure/support_kernels.h"

namespace warptune {

// A plan bound to a loaded module and to memory: one call queues all its launches. Keeps references to the module's
// kernels; the module must outlive it.
class BoundPlan {
 public:
  using FindBuffer = std::function<MemorySpan(const std::string&)>;

  BoundPlan(Plan plan, Module& module, const FindBuffer& find_buffer, SupportKernels& kernels);

  // Queues every launch once, in order.
  void run();
  // How many; at least 1, so that a time can be divided by it.
  std::size_t launches() const { return std::max<std::size_t>(1, steps_.size()); }
  // The worst over all launches. Launches nothing.
  ResourceUse resources() const;

 private:
  struct Step {
    Kernel* kernel;
    LaunchGeometry geometry;
    std::vector<std::array<std::byte, 8>> values;  // the arguments' bytes: scalars, or device addresses
    std::vector<void*> pointers;                   // to them, as a launch wants it
    std::vector<MemorySpan> clear;
  };

  std::vector<Step> steps_;
  SupportKernels& kernels_;
};

}  // namespace warptune
