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

// Where a plan's buffers lie, by name: as kernels reach them, and as the host does. Throw std::out_of_range for an
// unknown one.
struct FindBuffer {
  std::function<MemorySpan(const std::string&)> on_device;
  std::function<std::span<std::byte>(const std::string&)> on_host;
};

// A plan bound to a loaded module and to memory: one call queues all its launches. Keeps references to the module's
// kernels; the module must outlive it.
class BoundPlan {
 public:
  // Throws std::invalid_argument for a copy that leaves its buffers.
  BoundPlan(Plan plan, Module& module, const FindBuffer& find_buffer, Device& device, SupportKernels& kernels);

  // Queues every launch once, in order. Further streams begin when the device's own has got here, and it waits for all
  // of them at the end: so a run's time is from its first copy or launch to its last, in whatever stream they are.
  void run();
  // Whether a run is kernels in one stream, and so can be recorded and queued again by one call.
  bool only_kernels() const;
  // What a run launches, in order: the template's kernels by name, and Warptune's own, which clear memory, as "".
  std::vector<std::string> kernels() const;
  // How many; at least 1, so that a time can be divided by it.
  std::size_t launches() const { return std::max<std::size_t>(1, steps_.size()); }
  // What each kernel takes with each of its geometries, those with the most threads first. Launches nothing.
  std::vector<search::LaunchUse> uses() const;

 private:
  struct BoundCopy {
    MemorySpan device;
    std::span<std::byte> host;
    bool to_host = false;
  };
  struct BoundPages {
    PageStep::Kind kind;
    MemorySpan device;                // to prefetch
    std::span<const std::byte> host;  // to touch
  };
  struct Step {
    Kernel* kernel = nullptr;         // or
    std::string name = {};            // of the kernel
    std::optional<BoundPages> pages;  // or
    BoundCopy copy;
    int stream = 0;
    std::vector<int> after;
    LaunchGeometry geometry;
    std::vector<std::array<std::byte, 8>> values;  // the arguments' bytes: scalars, or device addresses
    std::vector<std::unique_ptr<TensorMap>> maps;  // or what else arguments are
    std::vector<void*> pointers;                   // to them, as a launch wants it
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
  std::vector<int> streams_;  // beside the device's own, each once
  Transfers& transfers_;
  SupportKernels& kernels_;
};

// The worst of each figure.
search::ResourceUse worst_use(const std::vector<search::LaunchUse>& launches);

}  // namespace warptune::tuner
