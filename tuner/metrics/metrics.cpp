#include "tuner/metrics/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace warptune {

std::map<std::string, double> evaluate_metrics(const KernelTemplate& kernel, const NamedValues& scope,
                                               const DeviceInfo& device, double seconds) {
  NamedValues names = scope;
  names.emplace_back("time", seconds);
  names.emplace_back("memory_bandwidth_gbs", device.memory_bandwidth_gbs());
  std::map<std::string, double> values;
  for (const Metric& metric : kernel.metrics) {
    try {
      values[metric.name] = metric.function ? metric.function(names) : to_double(metric.value.evaluate(names));
    } catch (const ExpressionError&) {
      // Left out: a share of an unknown bandwidth is no number.
    }
  }
  return values;
}

Objective::Objective(const KernelTemplate& kernel, const std::string& name) : name_(name) {
  if (name == "time") return;
  const auto metric = std::ranges::find(kernel.metrics, name, &Metric::name);
  if (metric == kernel.metrics.end()) {
    std::string known = "time";
    for (const Metric& candidate : kernel.metrics) known += ", " + candidate.name;
    throw std::invalid_argument(fmt::format("{} has no metric '{}'; expected one of {}", kernel.name, name, known));
  }
  sign_ = metric->higher_is_better ? -1 : 1;
}

double Objective::value(const Trial& trial) const {
  if (name_ == "time") return trial.measurement->median_ms;
  const auto metric = trial.metrics.find(name_);
  return metric == trial.metrics.end() ? std::numeric_limits<double>::infinity() : sign_ * metric->second;
}

}  // namespace warptune
