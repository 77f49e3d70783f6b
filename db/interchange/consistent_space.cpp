// Makes a recorded space consistent: first the types of its values, then repeated configurations, then domains.
#include "db/interchange/consistent_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

namespace warptune::db {

namespace {

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

void make_consistent(RecordedSpace& space) {
  take_types(space);
  merge_repeats(space);
  set_seen_domains(space);
}

}  // namespace warptune::db
