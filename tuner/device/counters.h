// Names what can be counted of a run. It is one vocabulary, and its names stay. It serves what a GPU's hardware counts
// (device/backends/cuda/sensors/counter_metrics.h has NVIDIA's names), what the host backend counts (access_report.h),
// manifests, the store and reports. The words are Nsight Compute's where it has one.
#pragma once

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

}  // namespace warptune::tuner
