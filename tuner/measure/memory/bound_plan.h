// Declares a plan that is bound to a module and to memory, so that one call queues all its launches.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tuner/kernel/plan.h"
#include "tuner/measure/memory/support_kernels.h"

namespace warptune::tuner {

// Find a plan's buffers by name, as kernels see them and as the host does. Both throw std::out_of_range for an unknown
// name.
struct FindBuffer {
  std::function<MemorySpan(const std::string&)> on_device;
  std::function<std::span<std::byte>(const std::string&)> on_host;
};

// A plan bound to a loaded module and to memory: one call queues all its launches. It keeps references to the module's
// kernels; the module must outlive it.
class BoundPlan {
 public:
  // Binds the plan. Throws std::invalid_argument for a copy that leaves its buffers.
  BoundPlan(Plan plan, Module& module, const FindBuffer& find_buffer, Device& device, SupportKernels& kernels);

  // Queues every launch once, in order. Further streams begin when the device's own has come to this point, and the
  // device's own waits for all of them at the end. So a run's time is from its first copy or launch to its last, in
  // whatever stream they are.
  void run();
  // Returns whether a run consists of kernels in one stream, so that it can be recorded and queued again by one call.
  bool only_kernels() const;
  // Returns what a run launches, in order: the template's kernels by name, and Warptune's own, which clear memory, as
  // "".
  std::vector<std::string> kernels() const;
  // Returns the number of launches; at least 1, so that a time can be divided by it.
  std::size_t launches() const { return std::max<std::size_t>(1, steps_.size()); }
  // Returns the resources that each kernel uses with each of its geometries, those with the most threads first.
  // Launches nothing.
  std::vector<search::LaunchUse> uses() const;

 private:
  struct BoundCopy {
    MemorySpan device;
    std::span<std::byte> host;
    bool to_host = false;
  };
  struct BoundPages {
    PageStep::Kind kind;
    MemorySpan device;                // the range to prefetch
    std::span<const std::byte> host;  // the range to touch
  };
  struct Step {
    Kernel* kernel = nullptr;         // or
    std::string name = {};            // the kernel's name
    std::optional<BoundPages> pages;  // or
    BoundCopy copy;
    int stream = 0;
    std::vector<int> after;
    LaunchGeometry geometry;
    std::vector<std::array<std::byte, 8>> values;  // the arguments' bytes: scalars, or device addresses
    std::vector<std::unique_ptr<TensorMap>> maps;  // the arguments that are tensor maps
    std::vector<void*> pointers;                   // pointers to the arguments, in the order that a launch wants
    std::vector<MemorySpan> clear;
  };

  static BoundCopy bind(const PlannedCopy& copy, const FindBuffer& find_buffer);
  static BoundPages bind(const PlannedPages& pages, const FindBuffer& find_buffer);
  static Step bind(const PlannedLaunch& launch, Module& module, const FindBuffer& find_buffer, Device& device);
  static void bind(const PlannedArgument& argument, const FindBuffer& find_buffer, Device& device, Step& step);
  void queue(Step& step);
  void queue(const BoundPages& pages);
  void queue_in_streams();

  std::vector<Step> steps_;
  std::vector<int> streams_;  // the streams besides the device's own, each once
  Transfers& transfers_;
  SupportKernels& kernels_;
};

// Returns the worst value of each figure over all launches.
search::ResourceUse worst_use(const std::vector<search::LaunchUse>& launches);

}  // namespace warptune::tuner
