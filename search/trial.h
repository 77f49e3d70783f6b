// What became of one configuration. Pure data: the evaluator fills it, the store keeps it, strategies learn from it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/configuration.h"

namespace warptune::search {

enum class Outcome {
  correct,
  constraint_violation,
  compile_error,
  resource_limit,  // the finished code needs more than the device has; never launched
  launch_error,
  wrong_result,
  timeout,
  crash,
};

std::string_view to_string(Outcome outcome);
std::optional<Outcome> outcome_from_string(std::string_view text);
// Every outcome, in declaration order.
const std::vector<Outcome>& all_outcomes();

// How a device was doing while something ran on it, as far as it can tell.
struct DeviceState {
  std::optional<double> clock_mhz;  // of the multiprocessors
  std::optional<double> power_w;
  std::optional<double> temperature_c;
};

// How far a configuration's floating-point outputs are from the reference's, over all their finite elements.
struct OutputError {
  double max = 0;  // the largest |got − expected|
  double rms = 0;  // the root of the mean of (got − expected)²
};

// Times of one correct configuration, in milliseconds a run of all its launches.
struct Measurement {
  std::vector<double> samples_ms;
  double median_ms = 0;
  // Half the width of the median's 95 % confidence interval over the median: 0.01 is ±1 %. What is known of a single
  // sample when cut short.
  double relative_error = 0;
  // Sampling stopped early because the configuration was hopeless: the median is a lower-quality figure.
  bool cut_short = false;
  // Energy of one run in joules, if it was asked for and the device can tell.
  std::optional<double> joules = std::nullopt;
  DeviceState state = {};
  std::int64_t discarded_samples = 0;  // taken while the device was throttled, and taken again
  // At its largest in any of the runs that were verified, over all sets of inputs; none without verification, and none
  // where no output is floating-point.
  std::optional<OutputError> error = std::nullopt;
};

// Where a trial's time went, in milliseconds of wall clock.
struct PhaseTimes {
  double compile_ms = 0;
  double verify_ms = 0;
  double measure_ms = 0;
  double framework_ms = 0;
};

// What the compiled code needs, a value for each launch's kernel at its worst; known before anything is launched.
struct ResourceUse {
  std::int64_t registers_per_thread = 0;
  std::int64_t local_bytes_per_thread = 0;  // spills and stack arrays
  std::int64_t static_shared_bytes = 0;
  std::int64_t dynamic_shared_bytes = 0;
  std::int64_t threads_per_block = 0;
  double occupancy = 0;  // resident threads over the multiprocessor's maximum, 0 … 1
};

struct Trial {
  Configuration configuration;
  Outcome outcome = Outcome::correct;
  std::optional<Measurement> measurement;  // only if correct
  // What the session minimises, first the primary one; empty unless correct. A metric to be maximised enters negated.
  std::vector<double> objectives;
  std::map<std::string, double> metrics;  // by metric name, in the metric's unit
  PhaseTimes phases;
  std::optional<ResourceUse> resources;  // absent when compiling failed
  std::string message;                   // why it failed; empty if correct
  std::string device_uuid;               // of the one that it ran on; empty if it never ran, or nobody knows

  bool correct() const { return outcome == Outcome::correct; }
};

}  // namespace warptune::search
