// Says which of CUPTI's metrics a counter of ours is.
#pragma once

#include <span>
#include <string_view>

namespace warptune::tuner::cuda {

struct CounterMetric {
  std::string_view counter;       // of device/counters.h
  std::string_view metric;        // on most chips from compute capability 7.5 on
  std::string_view further = {};  // its name on other chips; empty: none
};

// Returns every counter that a GPU has, but for those that follow from others.
std::span<const CounterMetric> counter_metrics();

}  // namespace warptune::tuner::cuda
