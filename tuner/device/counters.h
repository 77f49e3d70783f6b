// Names what can be counted of a run, and declares the interface to a device's hardware counters. The names are one
// vocabulary, and they stay. It serves what a GPU's hardware counts (device/backends/cuda/sensors/counter_metrics.h has
// NVIDIA's names), what the host backend counts (access_report.h), manifests, the store and reports. The words are
// Nsight Compute's where it has one.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "search/trial.h"
#include "tuner/device/access_report.h"

namespace warptune::tuner {

// Says how a counter follows from other counters, and how it is combined over several launches.
enum class Counted : unsigned char {
  sum,    // the sum of the launches' values
  mean,   // the mean of the launches' values, weighted by `whole`
  added,  // part + whole
  ratio,  // part / whole
};

struct CounterInfo {
  std::string_view name;
  std::string_view unit;  // "B", "%", "cycles", …; empty for a plain number
  Counted counted = Counted::sum;
  std::string_view part, whole;  // names of other counters
  std::string_view meaning;      // a phrase for people
};

// Returns all counters in the order in which they are shown. A counter's parts come before it.
std::span<const CounterInfo> all_counters();
// Returns the counter of this name, or null if there is none.
const CounterInfo* find_counter(std::string_view name);

// Returns what a counter is called where other names are near: "counter.dram_bytes".
std::string name_in_expressions(std::string_view counter);
bool is_counter_in_expressions(std::string_view name);

// Maps a counter's name to its value. A counter that a device does not have is missing.
using CounterValues = std::map<std::string, double>;

// Adds the counters that are sums or ratios of others.
void add_derived(CounterValues& values);
// Returns the counters of all launches together. A counter that one of them lacks is left out.
CounterValues in_all(std::span<const search::LaunchCounters> launches);

// Completes what was counted of launches: adds derived counters, and the counters of all launches together.
search::Counters counters_of(std::vector<search::LaunchCounters> launches, std::vector<std::string> lacking);
// Returns what the host backend counted of a launch.
CounterValues values_of(const AccessCounts& counts);
// Returns the names of the counters that the host backend cannot count.
std::vector<std::string> lacking_on_the_host();

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
