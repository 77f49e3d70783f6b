// Compares recorded spaces, checks the times of their trials, and makes trials of the search from them. What was read
// is made consistent: first the types of its values, then repeated configurations, then domains.
#include "db/interchange/recorded_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_set>
#include <utility>

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

// Returns the number in a text that is nothing but a number. "007" is a name, so it gives nothing.
std::optional<search::Value> number_in(const std::string& text) {
  std::int64_t whole = 0;
  double real = 0;
  const char *begin = text.data(), *end = begin + text.size();
  if (std::from_chars(begin, end, whole).ptr == end && std::to_string(whole) == text) return search::Value(whole);
  const auto [rest, error] = std::from_chars(begin, end, real);
  const bool number = error == std::errc() && rest == end && std::isfinite(real);
  const bool name = text.size() > 1 && text[0] == '0' && text[1] != '.' && text[1] != 'e';
  return number && !name ? std::optional<search::Value>(real) : std::nullopt;
}

std::optional<search::Value> as_number(const search::Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text ? number_in(*text) : std::holds_alternative<bool>(value) ? std::nullopt : std::optional(value);
}

// Replaces a value that the domain lacks by the domain's value of the same text, if there is one.
void take_type_of(const search::Parameter& parameter, search::Value& value) {
  const auto same = [&](const search::Value& known) { return search::same_value(known, value); };
  if (std::any_of(parameter.values.begin(), parameter.values.end(), same)) return;
  const auto found = std::find_if(
      parameter.values.begin(), parameter.values.end(),
      [&, text = search::to_text(value)](const search::Value& known) { return search::to_text(known) == text; });
  if (found != parameter.values.end()) value = *found;
}

// Turns the values of a parameter without a domain into numbers, if all of their texts are numbers.
void take_numbers(RecordedSpace& space, std::size_t i) {
  const auto is_number = [&](const RecordedTrial& trial) { return as_number(trial.values[i]).has_value(); };
  if (!std::all_of(space.trials.begin(), space.trials.end(), is_number)) return;
  for (RecordedTrial& trial : space.trials) trial.values[i] = *as_number(trial.values[i]);
}

void take_types(RecordedSpace& space) {
  for (std::size_t i = 0; i < space.parameters.size(); ++i)
    if (space.parameters[i].values.empty())
      take_numbers(space, i);
    else
      for (RecordedTrial& trial : space.trials) take_type_of(space.parameters[i], trial.values[i]);
}

using Repeats = std::vector<const RecordedTrial*>;

double median_of(const Repeats& repeats, const std::string& name) {
  std::vector<double> numbers;
  for (const RecordedTrial* trial : repeats)
    if (const auto number = find_measurement(*trial, name)) numbers.push_back(*number);
  return db::median_of(std::move(numbers));
}

RecordedTrial merged(const Repeats& all) {
  Repeats correct;
  for (const RecordedTrial* trial : all)
    if (trial->outcome == search::Outcome::correct) correct.push_back(trial);
  if (correct.empty()) return *all.front();
  RecordedTrial trial = *correct.front();
  for (std::size_t i = 1; i < correct.size(); ++i)
    trial.times_ms.insert(trial.times_ms.end(), correct[i]->times_ms.begin(), correct[i]->times_ms.end());
  for (auto& [name, number] : trial.measurements) number = median_of(correct, name);
  return trial;
}

void merge_repeats(RecordedSpace& space) {
  std::map<std::vector<search::Value>, std::size_t> places;
  std::vector<Repeats> groups;
  for (const RecordedTrial& trial : space.trials) {
    const auto [place, is_new] = places.emplace(trial.values, groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second].push_back(&trial);
  }
  if (groups.size() == space.trials.size()) return;
  std::vector<RecordedTrial> trials;
  for (const Repeats& group : groups) trials.push_back(group.size() == 1 ? *group.front() : merged(group));
  space.notes.push_back(fmt::format("{} records are of {} configurations: the runs of one are taken together",
                                    space.trials.size(), groups.size()));
  space.trials = std::move(trials);
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

void make_consistent(RecordedSpace& space) {
  take_types(space);
  merge_repeats(space);
  set_seen_domains(space);
}

}  // namespace warptune::db
