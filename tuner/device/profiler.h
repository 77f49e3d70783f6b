// The interface to a device's hardware counters.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tuner/device/counters.h"

namespace warptune::tuner {

// What is counted: hardware counts few things at a time, so the same work is done again and again.
struct CountedWork {
  std::function<void()> prepare;  // puts the data into the state of a first run, before each pass; not counted
  std::function<void()> run;      // queues the same launches each time
  // What it launches, in order; Warptune's own kernels, which nobody wants to know of, have no name.
  std::vector<std::string> kernels = {};
  std::vector<AccessBuffer> buffers = {};  // what they may access: where somebody has to look at each access
};

// Counting for one device. While nothing is counted, kernels run as ever. Times after the first count prove nothing:
// a profiler may leave a process slower than it was.
class Profiler {
 public:
  virtual ~Profiler() = default;
  // Those of all_counters() that this kind of device has, and this device has not.
  virtual std::vector<std::string> lacking() const = 0;
  // What each launch was counted to do, in order, without derived counters; of one without a name, anything. Launches
  // run one by one, also those of different streams. Throws DeviceError.
  virtual std::vector<CounterValues> count(const CountedWork& work) = 0;
};

}  // namespace warptune::tuner
