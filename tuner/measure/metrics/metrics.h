#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "search/trial.h"
#include "tuner/device/device_info.h"
#include "tuner/kernel/kernel_template.h"

namespace warptune::tuner {

// The template's metrics for one run as measured (and counted, if it was), "joules" if they were, and "max_error" and
// "rms_error", how far its floating-point outputs are from the reference's (in the outputs' own unit), if it was
// verified; `scope` holds sizes, limits and the configuration's values. A metric that cannot be evaluated (a division
// by zero, an energy that was not measured, a counter that was not read) is left out.
std::map<std::string, double> evaluate_metrics(const KernelTemplate& kernel, const search::NamedValues& scope,
                                               const DeviceInfo& device, const search::Measurement& measurement,
                                               const std::optional<search::Counters>& counters = {});

// Of metrics that have no value here, as where a difference of sizes is divided by: why, by name. Nothing needs to be
// measured; metrics that name what is not in `scope`, as a counter or a parameter, are left out.
std::map<std::string, std::string> impossible_metrics(const KernelTemplate& kernel, const search::NamedValues& scope,
                                                      const DeviceInfo& device);

// What one run of a configuration has to do at least, as the template states it; without an `arithmetic` of its own,
// that of its first floating-point output's type. What cannot be evaluated is left out.
search::Work evaluate_work(const KernelTemplate& kernel, const search::NamedValues& scope);

// What a session minimises: the time in milliseconds, the energy of a run in joules, its error, or one of the
// template's metrics (negated if higher is better).
class Objective {
 public:
  // "time", "joules", "max_error", "rms_error" or a metric's name. Throws std::invalid_argument that lists what there
  // is.
  Objective(const KernelTemplate& kernel, const std::string& name);

  const std::string& name() const { return name_; }
  bool is_time() const { return is_time_; }
  bool is_maximised() const { return sign_ < 0; }
  // Of a correct trial whose metrics are filled in; infinite if it has none of this name.
  double value(const search::Trial& trial) const;
  // Objective values in the metric's own sense, for people; and the other way round.
  double shown(double value) const { return sign_ * value; }
  // Whether the energy must be measured for it, what a run does be counted, or the memory's bandwidth be known.
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

// "time,joules": the primary one first. Throws std::invalid_argument, also if one is there twice.
std::vector<Objective> make_objectives(const KernelTemplate& kernel, const std::string& names);
// "time,joules", or those of which more is better (`maximised` of db::SessionRecord).
std::string names_of(const std::vector<Objective>& objectives);
std::string names_of_maximised(const std::vector<Objective>& objectives);

}  // namespace warptune::tuner
