#pragma once

#include <map>
#include <string>

#include "search/trial.h"
#include "tuner/device_info.h"
#include "tuner/kernel/kernel_template.h"

namespace warptune {

// The template's metrics for one run of `seconds`; `scope` holds sizes, limits and the configuration's values. A metric
// that cannot be evaluated (a division by zero) is left out.
std::map<std::string, double> evaluate_metrics(const KernelTemplate& kernel, const NamedValues& scope,
                                               const DeviceInfo& device, double seconds);

// What a session minimises: the time in milliseconds, or one of the template's metrics (negated if higher is better).
class Objective {
 public:
  // "time" or a metric's name. Throws std::invalid_argument that lists what there is.
  Objective(const KernelTemplate& kernel, const std::string& name);

  const std::string& name() const { return name_; }
  // Of a correct trial whose metrics are filled in.
  double value(const Trial& trial) const;
  // Objective values back in the metric's own sense, for people.
  double shown(double value) const { return sign_ * value; }

 private:
  std::string name_;
  double sign_ = 1;
};

}  // namespace warptune
