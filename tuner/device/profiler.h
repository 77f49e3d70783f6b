// Declares the interface to a device's hardware counters.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tuner/device/counters.h"

namespace warptune::tuner {

// Describes the work that is counted. Hardware counts few things at a time, so the same work is done again and again.
struct CountedWork {
  std::function<void()> prepare;  // puts the data into the state of a first run, before each pass; not counted
  std::function<void()> run;      // queues the same launches each time
  // Names the kernels that it launches, in order. Warptune's own kernels, which nobody wants to know of, have no name.
  std::vector<std::string> kernels = {};
  std::vector<AccessBuffer> buffers = {};  // what they may access, for a device that looks at each access
};

// Counts for one device. While nothing is counted, kernels run as ever. Times after the first count prove nothing,
// because a profiler may leave a process slower than it was.
class Profiler {
 public:
  virtual ~Profiler() = default;
  // Returns the names of those of all_counters() that this kind of device has and this device has not.
  virtual std::vector<std::string> lacking() const = 0;
  // Returns what each launch was counted to do, in order, without derived counters. For a launch without a name the
  // values may be anything. Launches run one by one, also those of different streams. Throws DeviceError.
  virtual std::vector<CounterValues> count(const CountedWork& work) = 0;
};

}  // namespace warptune::tuner
