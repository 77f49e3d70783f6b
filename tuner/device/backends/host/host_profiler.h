// Declares the profiler of the host backend, which counts what tracked modules tell of their accesses.
#pragma once

#include <memory>

#include "tuner/device/device.h"

namespace warptune::tuner::host {

class HostProfiler : public Profiler {
 public:
  // Both must outlive the profiler. What it counts must have been compiled as tracked.
  HostProfiler(Device& device, AccessLog& log) : device_(device), log_(log) {}

  std::vector<std::string> lacking() const override;
  std::vector<CounterValues> count(const CountedWork& work) override;

 private:
  Device& device_;
  AccessLog& log_;
};

}  // namespace warptune::tuner::host
