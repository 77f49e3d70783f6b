// Evaluates metric expressions over the measured values, and finds which measurements an objective needs.
#include "tuner/measure/metrics/metrics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "search/spelling.h"
#include "tuner/device/counters.h"

namespace warptune::tuner {

namespace {

// The metrics of every verified configuration with a floating-point output.
constexpr std::array<std::pair<std::string_view, double search::OutputError::*>, 2> error_metrics = {
    {{"max_error", &search::OutputError::max}, {"rms_error", &search::OutputError::rms}}};

bool is_error_metric(std::string_view name) {
  return std::ranges::any_of(error_metrics, [&](const auto& metric) { return metric.first == name; });
}

}  // namespace

std::map<std::string, double> evaluate_metrics(const KernelTemplate& kernel, const search::NamedValues& scope,
                                               const DeviceInfo& device, const search::Measurement& measurement,
                                               const std::optional<search::Counters>& counters) {
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
  if (counters)
    for (const auto& [name, value] : counters->values) names.emplace_back(name_in_expressions(name), value);
  for (const Metric& metric : kernel.metrics) {
    try {
      values[metric.name] = metric.function ? metric.function(names) : search::to_double(metric.value.evaluate(names));
    } catch (const search::ExpressionError&) {
      // The metric is left out: a share of an unknown bandwidth is no number.
    }
  }
  return values;
}

std::map<std::string, std::string> impossible_metrics(const KernelTemplate& kernel, const search::NamedValues& scope,
                                                      const DeviceInfo& device) {
  search::NamedValues names = scope;
  // Metrics that are a share of the bandwidth are not expected where the bandwidth is unknown.
  if (device.memory_bandwidth_gbs() > 0) names.emplace_back("memory_bandwidth_gbs", device.memory_bandwidth_gbs());
  names.emplace_back("time", 1e-3);  // whatever it will be
  const auto known = [&](const std::string& name) { return search::find_value(names, name) != nullptr; };
  std::map<std::string, std::string> reasons;
  for (const Metric& metric : kernel.metrics) {
    if (metric.function || !std::ranges::all_of(metric.value.names(), known)) continue;
    try {
      metric.value.evaluate(names);
    } catch (const search::ExpressionError& error) {
      reasons[metric.name] = fmt::format("`{}`: {}", metric.value.text(), error.what());
    }
  }
  return reasons;
}

// Returns nothing for an expression without a value, or with a value that an amount of work cannot have.
static std::optional<double> amount(const std::optional<search::Expression>& expression,
                                    const search::NamedValues& scope) {
  if (!expression) return std::nullopt;
  try {
    const double value = search::to_double(expression->evaluate(scope));
    return std::isfinite(value) && value >= 0 ? std::optional(value) : std::nullopt;
  } catch (const std::exception&) {  // ExpressionError, or a text
    return std::nullopt;
  }
}

static std::string usual_arithmetic(const KernelTemplate& kernel) {
  for (const Argument& argument : kernel.arguments)
    if (argument.is_output() && is_floating(argument.type)) return argument.type == ElementType::f64 ? "fp64" : "fp32";
  return "fp32";
}

search::Work evaluate_work(const KernelTemplate& kernel, const search::NamedValues& scope) {
  search::Work work{amount(kernel.work.flops, scope), amount(kernel.work.bytes, scope), {}};
  if (!work.flops || *work.flops == 0) return work;
  work.arithmetic = usual_arithmetic(kernel);
  if (!kernel.work.arithmetic) return work;
  try {
    work.arithmetic = search::to_text(kernel.work.arithmetic->evaluate(scope));
  } catch (const search::ExpressionError&) {
    work.arithmetic.clear();
  }
  return work;
}

Objective::Objective(const KernelTemplate& kernel, const std::string& name) : name_(name) {
  is_time_ = name == "time";
  needs_energy_ = name == "joules";
  if (is_time_ || needs_energy_) return;
  const auto metric = std::ranges::find(kernel.metrics, name, &Metric::name);
  if (metric == kernel.metrics.end() && is_error_metric(name))
    return;  // a template's own metric of that name takes precedence
  if (metric == kernel.metrics.end()) {
    std::vector<std::string> known{"time", "joules", "max_error", "rms_error"};
    for (const Metric& candidate : kernel.metrics) known.push_back(candidate.name);
    throw std::invalid_argument(fmt::format("{} has no metric '{}'{}; expected one of {}", kernel.name, name,
                                            search::did_you_mean(name, known), fmt::join(known, ", ")));
  }
  sign_ = metric->higher_is_better ? -1 : 1;
  needs_energy_ = std::ranges::count(metric->value.names(), "joules") > 0;
  needs_bandwidth_ = std::ranges::count(metric->value.names(), "memory_bandwidth_gbs") > 0;
  needs_counters_ = std::ranges::any_of(metric->value.names(), is_counter_in_expressions);
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

std::string names_of(const std::vector<Objective>& objectives) {
  std::string names;
  for (const Objective& objective : objectives) names += (names.empty() ? "" : ",") + objective.name();
  return names;
}

std::string names_of_maximised(const std::vector<Objective>& objectives) {
  std::vector<Objective> maximised = objectives;
  std::erase_if(maximised, [](const Objective& objective) { return !objective.is_maximised(); });
  return names_of(maximised);
}

}  // namespace warptune::tuner
