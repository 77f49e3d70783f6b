// Evaluates a template's metrics and objectives for measured runs.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "search/trial.h"
#include "tuner/device/device_info.h"
#include "tuner/kernel/kernel_template.h"

namespace warptune::tuner {

// Returns the template's metrics for one run as measured (and counted, if it was). "joules" is added if the energy was
// measured. "max_error" and "rms_error" are added if the run was verified: they say how far its floating-point outputs
// are from the reference's (in the outputs' own unit). `scope` holds sizes, limits and the configuration's values. A
// metric that cannot be evaluated (a division by zero, an energy that was not measured, a counter that was not read) is
// left out.
std::map<std::string, double> evaluate_metrics(const KernelTemplate& kernel, const search::NamedValues& scope,
                                               const DeviceInfo& device, const search::Measurement& measurement,
                                               const std::optional<search::Counters>& counters = {});

// Returns the metrics that can have no value at these sizes, with the reason, by name. An example is a division by a
// difference of sizes that is zero. Nothing needs to be measured. Metrics that use names outside `scope`, such as a
// counter or a parameter, are left out.
std::map<std::string, std::string> impossible_metrics(const KernelTemplate& kernel, const search::NamedValues& scope,
                                                      const DeviceInfo& device);

// Returns the least work that one run of a configuration has to do, as the template states it. A template without an
// `arithmetic` of its own gets that of its first floating-point output's type. What cannot be evaluated is left out.
search::Work evaluate_work(const KernelTemplate& kernel, const search::NamedValues& scope);

// A quantity that a session minimises: the time in milliseconds, the energy of a run in joules, its error, or one of
// the template's metrics (negated if higher is better).
class Objective {
 public:
  // `name` is "time", "joules", "max_error", "rms_error" or a metric's name. Throws std::invalid_argument that lists
  // the known names.
  Objective(const KernelTemplate& kernel, const std::string& name);

  const std::string& name() const { return name_; }
  bool is_time() const { return is_time_; }
  bool is_maximised() const { return sign_ < 0; }
  // Returns the value for a correct trial whose metrics are filled in; infinite if the trial has no metric of this
  // name.
  double value(const search::Trial& trial) const;
  // Converts an objective's value to the metric's own sign, for display, and back.
  double shown(double value) const { return sign_ * value; }
  // Return whether the objective needs the energy to be measured, the events of a run to be counted, or the memory's
  // bandwidth to be known.
  bool needs_energy() const { return needs_energy_; }
  bool needs_counters() const { return needs_counters_; }
  bool needs_bandwidth() const { return needs_bandwidth_; }

 private:
  std::string name_;
  double sign_ = 1;
  bool is_time_ = false;
  bool needs_energy_ = false;
  bool needs_counters_ = false;
  bool needs_bandwidth_ = false;
};

// Reads a list such as "time,joules", the primary objective first. Throws std::invalid_argument, also if a name is
// there twice.
std::vector<Objective> make_objectives(const KernelTemplate& kernel, const std::string& names);
// Return "time,joules", or the same list of only those objectives of which more is better (`maximised` of
// db::SessionRecord).
std::string names_of(const std::vector<Objective>& objectives);
std::string names_of_maximised(const std::vector<Objective>& objectives);

}  // namespace warptune::tuner
