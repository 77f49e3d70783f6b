// Defines a trial, which says what became of one configuration. It is pure data: the evaluator fills it, the store
// keeps it, strategies learn from it.
#pragma once

#include <array>
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
// Returns every outcome, in declaration order.
const std::vector<Outcome>& all_outcomes();

// A DeviceState says how a device was doing while something ran on it, as far as the device can tell.
struct DeviceState {
  std::optional<double> clock_mhz;  // of the multiprocessors
  std::optional<double> power_w;
  std::optional<double> temperature_c;
};

// An OutputError says how far a configuration's floating-point outputs are from the reference's, over all their finite
// elements.
struct OutputError {
  double max = 0;  // the largest |got − expected|
  double rms = 0;  // the root of the mean of (got − expected)²
};

// A Measurement holds the times of one correct configuration. They are in milliseconds for one run of all its launches.
struct Measurement {
  std::vector<double> samples_ms;
  double median_ms = 0;
  // This is half the width of the median's 95 % confidence interval over the median: 0.01 is ±1 %. Where sampling was
  // cut short, it is what is known of the error of a single sample.
  double relative_error = 0;
  // Sampling stopped early because the configuration was hopeless: the median is a lower-quality figure.
  bool cut_short = false;
  // This is the energy of one run in joules, if it was asked for and the device can tell.
  std::optional<double> joules = std::nullopt;
  DeviceState state = {};
  std::int64_t discarded_samples = 0;  // taken while the device was throttled, and taken again
  // This is the largest error in any of the runs that were verified, over all sets of inputs. It is empty without
  // verification, and where no output is floating-point.
  std::optional<OutputError> error = std::nullopt;
};

// PhaseTimes says where a trial's time went, in milliseconds of wall clock.
struct PhaseTimes {
  double compile_ms = 0;
  double verify_ms = 0;
  double measure_ms = 0;
  double framework_ms = 0;
};

// ResourceUse says what the compiled code needs. Where there are several launches, each value is the worst among their
// kernels. All are known before anything is launched.
struct ResourceUse {
  std::int64_t registers_per_thread = 0;
  std::int64_t local_bytes_per_thread = 0;  // spills and stack arrays
  std::int64_t static_shared_bytes = 0;
  std::int64_t dynamic_shared_bytes = 0;
  std::int64_t threads_per_block = 0;
  double occupancy = 0;  // resident threads over the multiprocessor's maximum, 0 … 1

  friend bool operator==(const ResourceUse&, const ResourceUse&) = default;
};

// A LaunchUse describes one kernel with one geometry, and how often a run launches it.
struct LaunchUse {
  std::string kernel;
  std::array<std::int64_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::int64_t launches = 1;
  ResourceUse use = {};
  // These are the attributes of the launch (tuner/device/launch_attributes.h) that differ from those of a plain launch,
  // such as "cluster_x" 2.
  std::map<std::string, std::int64_t> attributes = {};

  friend bool operator==(const LaunchUse&, const LaunchUse&) = default;
};

// Work says what one run has to do at least, as its manifest states it.
struct Work {
  std::optional<double> flops;  // operations
  std::optional<double> bytes;  // from and to the device's memory
  std::string arithmetic;       // the roof that `flops` count against: "fp32", "fp64", …; empty without them

  friend bool operator==(const Work&, const Work&) = default;
};

// LaunchCounters holds what was counted of one launch, by the names of tuner/device/counters.h.
struct LaunchCounters {
  std::string kernel;
  std::map<std::string, double> values;

  friend bool operator==(const LaunchCounters&, const LaunchCounters&) = default;
};

// Counters holds what was counted of one run of all launches, outside the samples.
struct Counters {
  std::map<std::string, double> values;  // of all launches together
  std::vector<LaunchCounters> launches;  // in order
  std::vector<std::string> lacking;      // the counters that this device does not have
  std::string failure;                   // why nothing could be counted; then all else is empty

  friend bool operator==(const Counters&, const Counters&) = default;
};

// OutputBits holds hashes of the bits of a run. They are taken over memory as it is, so that they are the same on every
// device. If `data` and `outputs` are equal to those of another run, the same inputs gave the same outputs, bit for
// bit.
struct OutputBits {
  std::string data;     // of the inputs, and of what the outputs are (names, types, elements that count)
  std::string outputs;  // of the outputs that were verified; empty if they may differ from run to run, as declared

  friend bool operator==(const OutputBits&, const OutputBits&) = default;
};

struct Trial {
  Configuration configuration;
  Outcome outcome = Outcome::correct;
  std::optional<Measurement> measurement;  // only if correct
  // These are what the session minimises, the primary objective first. There are none unless the trial is correct. A
  // metric to be maximised enters negated.
  std::vector<double> objectives;
  std::map<std::string, double> metrics;  // by metric name, in the metric's unit
  PhaseTimes phases;
  std::optional<ResourceUse> resources;  // absent when compiling failed
  std::string message;                   // why it failed; empty if correct
  std::string device_uuid;               // of the device that it ran on; empty if it never ran, or if unknown
  // These are the 32 launches with the most threads, those with most first. There are none if nothing was compiled, or
  // if the launches are unknown.
  std::vector<LaunchUse> launches = {};
  Work work = {};
  std::optional<Counters> counters = std::nullopt;  // only if they were asked for
  std::optional<OutputBits> bits = std::nullopt;    // only if correct and verified

  bool correct() const { return outcome == Outcome::correct; }
};

}  // namespace warptune::search
