// What can be counted of a run, under names that stay: one vocabulary for what a GPU's hardware counts
// (device/backends/cuda/sensors/counter_metrics.h has NVIDIA's names), for what the host backend counts
// (access_report.h), for manifests, the store and reports. The words are Nsight Compute's where it has one.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "search/trial.h"
#include "tuner/device/access_report.h"

namespace warptune::tuner {

// How a counter comes about from others, and so over several launches.
enum class Counted : unsigned char {
  sum,    // of the launches' values
  mean,   // of the launches' values, each counting as much as its `whole`
  added,  // part + whole
  ratio,  // part / whole
};

struct CounterInfo {
  std::string_view name;
  std::string_view unit;  // "B", "%", "cycles", …; empty for a plain number
  Counted counted = Counted::sum;
  std::string_view part, whole;  // other counters
  std::string_view meaning;      // a phrase for people
};

// In the order in which they are shown; a counter's parts come before it.
std::span<const CounterInfo> all_counters();
// Null for a name that is none.
const CounterInfo* find_counter(std::string_view name);

// "counter.dram_bytes": what a counter is called where other names are near.
std::string name_in_expressions(std::string_view counter);
bool is_counter_in_expressions(std::string_view name);

// By name. What a device does not have is not there.
using CounterValues = std::map<std::string, double>;

// Adds what is a sum or a ratio of others.
void add_derived(CounterValues& values);
// Of all launches together. A counter that one of them lacks is left out.
CounterValues in_all(std::span<const search::LaunchCounters> launches);

// Completes what was counted of launches: derived counters, and all launches together.
search::Counters counters_of(std::vector<search::LaunchCounters> launches, std::vector<std::string> lacking);
// What the host backend counted of a launch, and what it cannot.
CounterValues values_of(const AccessCounts& counts);
std::vector<std::string> lacking_on_the_host();

}  // namespace warptune::tuner
