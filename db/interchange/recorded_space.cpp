// Compares recorded spaces, checks the times of their trials, and makes trials of the search from them.
#include "db/interchange/recorded_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_set>

namespace warptune::db {

namespace {

bool same_parameters(const std::vector<search::Parameter>& a, const std::vector<search::Parameter>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const search::Parameter& x, const search::Parameter& y) {
    return x.name == y.name && x.values == y.values;
  });
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

search::Measurement measurement(const RecordedTrial& recorded) {
  search::Measurement result;
  result.samples_ms = recorded.times_ms;
  result.median_ms =
      recorded.times_ms.empty() ? find_measurement(recorded, "time").value_or(0) : median(recorded.times_ms);
  return result;
}

search::PhaseTimes phase_times(const RecordedTrial& recorded) {
  const double runs_ms = std::accumulate(recorded.times_ms.begin(), recorded.times_ms.end(), 0.0);
  return {.compile_ms = recorded.phases.compile_ms.value_or(0),
          .verify_ms = recorded.phases.verify_ms.value_or(0),
          .measure_ms = recorded.times_ms.empty() ? recorded.phases.benchmark_ms.value_or(0) : runs_ms,
          .framework_ms = recorded.phases.framework_ms.value_or(0)};
}

double number(const search::Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  if (const bool* flag = std::get_if<bool>(&value)) return *flag;
  return std::get<double>(value);
}

std::vector<search::Value> seen_values(const std::vector<RecordedTrial>& trials, std::size_t parameter) {
  std::vector<search::Value> values;
  std::unordered_set<search::Value> seen;
  for (const RecordedTrial& trial : trials)
    if (seen.insert(trial.values[parameter]).second) values.push_back(trial.values[parameter]);
  const bool texts = std::any_of(values.begin(), values.end(),
                                 [](const search::Value& value) { return std::holds_alternative<std::string>(value); });
  if (!texts)
    std::sort(values.begin(), values.end(),
              [](const search::Value& a, const search::Value& b) { return number(a) < number(b); });
  return values;
}

}  // namespace

static std::vector<bool> senses(const RecordedSpace& space) {
  std::vector<bool> all;
  for (std::size_t i = 0; i < space.objectives.size(); ++i) all.push_back(higher_is_better(space, i));
  return all;
}

void set_seen_domains(RecordedSpace& space) {
  for (std::size_t i = 0; i < space.parameters.size(); ++i)
    if (space.parameters[i].values.empty()) space.parameters[i].values = seen_values(space.trials, i);
}

bool operator==(const RecordedSpace& a, const RecordedSpace& b) {
  return a.kernel == b.kernel && a.device == b.device && a.problem_size == b.problem_size &&
         a.size_names == b.size_names && a.variant_names == b.variant_names &&
         same_parameters(a.parameters, b.parameters) && a.objectives == b.objectives && senses(a) == senses(b) &&
         a.trials == b.trials;
}

std::optional<double> find_measurement(const RecordedTrial& trial, const std::string& name) {
  for (const auto& [key, number] : trial.measurements)
    if (key == name) return number;
  return std::nullopt;
}

double median_of(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  const std::size_t half = numbers.size() / 2;
  return numbers.size() % 2 == 1 ? numbers[half] : (numbers[half - 1] + numbers[half]) / 2;
}

std::string doubt_times(RecordedTrial& trial) {
  if (trial.outcome != search::Outcome::correct) return {};
  std::vector<double> times = trial.times_ms;
  if (const auto time = find_measurement(trial, "time")) times.push_back(*time);
  for (const double time : times)
    if (!(time > 0)) return spoil(trial, fmt::format("a configuration took {} ms; expected a time above 0", time));
  return {};
}

std::string spoil(RecordedTrial& trial, std::string why) {
  trial.outcome = search::Outcome::launch_error;
  trial.message = why;
  trial.times_ms.clear();
  trial.measurements.clear();
  return why;
}

bool higher_is_better(const std::string& objective) {
  constexpr std::array<std::string_view, 4> rates{"/s", "FLOPS", "flops", "score"};
  return std::any_of(rates.begin(), rates.end(),
                     [&](std::string_view rate) { return objective.find(rate) != std::string::npos; });
}

bool higher_is_better(const RecordedSpace& space, std::size_t i) {
  return i < space.higher_is_better.size() ? space.higher_is_better[i] : higher_is_better(space.objectives[i]);
}

search::Trial to_trial(const RecordedSpace& space, const RecordedTrial& recorded) {
  search::Trial trial;
  trial.outcome = recorded.outcome;
  trial.message = recorded.message;
  trial.phases = phase_times(recorded);
  if (!trial.correct()) return trial;
  trial.measurement = measurement(recorded);
  for (std::size_t i = 0; i < space.objectives.size(); ++i)
    if (const auto number = find_measurement(recorded, space.objectives[i]))
      trial.objectives.push_back(higher_is_better(space, i) ? -*number : *number);
  trial.metrics.insert(recorded.measurements.begin(), recorded.measurements.end());
  return trial;
}

}  // namespace warptune::db
