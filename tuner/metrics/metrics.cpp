#include "tuner/metrics/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace warptune::tuner {

namespace {

// What every verified configuration with a floating-point output has.
constexpr std::array<std::pair<std::string_view, double search::OutputError::*>, 2> error_metrics = {
    {{"max_error", &search::OutputError::max}, {"rms_error", &search::OutputError::rms}}};

bool is_error_metric(std::string_view name) {
  return std::ranges::any_of(error_metrics, [&](const auto& metric) { return metric.first == name; });
}

}  // namespace

std::map<std::string, double> evaluate_metrics(const KernelTemplate& kernel, const search::NamedValues& scope,
                                               const DeviceInfo& device, const search::Measurement& measurement) {
  search::NamedValues names = scope;
  names.emplace_back("time", measurement.median_ms / 1e3);
  names.emplace_back("memory_bandwidth_gbs", device.memory_bandwidth_gbs());
  std::map<std::string, double> values;
  if (measurement.joules) {
    names.emplace_back("joules", *measurement.joules);
    values["joules"] = *measurement.joules;
  }
  if (measurement.error)
    for (const auto& [name, member] : error_metrics) {
      names.emplace_back(name, (*measurement.error).*member);
      values[std::string(name)] = (*measurement.error).*member;
    }
  for (const Metric& metric : kernel.metrics) {
    try {
      values[metric.name] = metric.function ? metric.function(names) : search::to_double(metric.value.evaluate(names));
    } catch (const search::ExpressionError&) {
      // Left out: a share of an unknown bandwidth is no number.
    }
  }
  return values;
}

Objective::Objective(const KernelTemplate& kernel, const std::string& name) : name_(name) {
  is_time_ = name == "time";
  needs_energy_ = name == "joules";
  if (is_time_ || needs_energy_) return;
  const auto metric = std::ranges::find(kernel.metrics, name, &Metric::name);
  if (metric == kernel.metrics.end() && is_error_metric(name)) return;  // a template's own of that name goes first
  if (metric == kernel.metrics.end()) {
    std::string known = "time, joules, max_error, rms_error";
    for (const Metric& candidate : kernel.metrics) known += ", " + candidate.name;
    throw std::invalid_argument(fmt::format("{} has no metric '{}'; expected one of {}", kernel.name, name, known));
  }
  sign_ = metric->higher_is_better ? -1 : 1;
  needs_energy_ = std::ranges::count(metric->value.names(), "joules") > 0;
}

double Objective::value(const search::Trial& trial) const {
  if (is_time_) return trial.measurement->median_ms;
  const auto metric = trial.metrics.find(name_);
  return metric == trial.metrics.end() ? std::numeric_limits<double>::infinity() : sign_ * metric->second;
}

std::vector<Objective> make_objectives(const KernelTemplate& kernel, const std::string& names) {
  std::vector<Objective> objectives;
  std::istringstream list(names);
  for (std::string name; std::getline(list, name, ',');) {
    if (std::ranges::find(objectives, name, &Objective::name) != objectives.end())
      throw std::invalid_argument(fmt::format("the objective '{}' is there twice", name));
    objectives.emplace_back(kernel, name);
  }
  if (objectives.empty())
    throw std::invalid_argument("no objective is named; expected time, joules, max_error, rms_error or a metric");
  return objectives;
}

}  // namespace warptune::tuner
