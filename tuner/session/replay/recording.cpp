// Builds the space of a recording from the rows that were recorded.
#include "tuner/session/replay/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "search/error.h"

namespace warptune::tuner::replay {

namespace {

// Returns the domains without repetitions; a tuner reads [1, 1] as [1].
std::vector<search::Parameter> distinct_domains(const std::vector<search::Parameter>& recorded) {
  std::vector<search::Parameter> parameters;
  for (const search::Parameter& parameter : recorded) {
    search::Parameter& copy = parameters.emplace_back(search::Parameter{parameter.name, {}});
    for (const search::Value& value : parameter.values)
      if (std::none_of(copy.values.begin(), copy.values.end(),
                       [&](const search::Value& v) { return search::same_value(v, value); }))
        copy.values.push_back(value);
  }
  return parameters;
}

// Returns the index of the value in the domain, which grows if the file's own domain lacked it.
std::uint32_t choice(search::Parameter& parameter, const search::Value& value) {
  const auto found = std::find_if(parameter.values.begin(), parameter.values.end(),
                                  [&](const search::Value& v) { return search::same_value(v, value); });
  const auto index = static_cast<std::uint32_t>(found - parameter.values.begin());
  if (found == parameter.values.end()) parameter.values.push_back(value);
  return index;
}

search::SearchSpace listed_space(const db::RecordedSpace& recorded) {
  std::vector<search::Parameter> parameters = distinct_domains(recorded.parameters);
  std::vector<search::Configuration> rows;
  rows.reserve(recorded.trials.size());
  for (const db::RecordedTrial& trial : recorded.trials) {
    search::Configuration& row = rows.emplace_back();
    for (std::size_t i = 0; i < parameters.size(); ++i) row.choices.push_back(choice(parameters[i], trial.values[i]));
  }
  return search::SearchSpace::from_rows(std::move(parameters), std::move(rows));
}

search::SearchSpace build_space(const db::RecordedSpace& recorded, const std::string& name) {
  try {
    return listed_space(recorded);
  } catch (const std::invalid_argument& error) {
    throw search::DataError(name + " cannot be replayed: " + error.what());
  }
}

void drop_details(search::Trial& trial) {
  if (trial.measurement) trial.measurement->samples_ms = {};
  trial.metrics.clear();
}

search::NamedValues named_values(const std::vector<search::Parameter>& parameters,
                                 const std::vector<search::Value>& values) {
  search::NamedValues named;
  for (std::size_t i = 0; i < parameters.size(); ++i) named.emplace_back(parameters[i].name, values[i]);
  return named;
}

}  // namespace

Recording::Recording(const db::RecordedSpace& recorded, std::string name, Detail detail)
    : name_(std::move(name)),
      kernel_(recorded.kernel),
      objectives_(recorded.objectives),
      problem_size_(recorded.problem_size),
      space_(build_space(recorded, name_)) {
  if (recorded.trials.empty()) throw search::DataError(name_ + " holds no trial, so there is nothing to replay");
  device_.id = "replay:" + name_;
  device_.backend = "replay";
  device_.name = recorded.device;
  trials_.resize(static_cast<std::size_t>(space_.size()));
  for (const db::RecordedTrial& trial : recorded.trials) {
    const auto configuration = space_.find(named_values(recorded.parameters, trial.values));
    search::Trial& slot = trials_[static_cast<std::size_t>(*space_.index_of(*configuration))];
    slot = to_trial(recorded, trial);
    slot.configuration = *configuration;
    if (detail == Detail::lean) drop_details(slot);
  }
}

const search::Trial* Recording::find(const search::Configuration& configuration) const {
  const auto index = space_.index_of(configuration);
  return index ? &trials_[static_cast<std::size_t>(*index)] : nullptr;
}

double cost_s(const search::Trial& trial) {
  const search::PhaseTimes& phases = trial.phases;
  return (phases.compile_ms + phases.verify_ms + phases.measure_ms + phases.framework_ms) / 1e3;
}

search::compare::ScoredSpace scored_space(const Recording& recording, const search::compare::Cutoff& cutoff) {
  std::vector<search::compare::ScoredConfiguration> configurations;
  configurations.reserve(recording.size());
  for (std::size_t i = 0; i < recording.size(); ++i) {
    const search::Trial& trial = recording.trial(i);
    search::compare::ScoredConfiguration& scored = configurations.emplace_back();
    if (!trial.objectives.empty() && std::isfinite(trial.objectives.front()))
      scored.objective = trial.objectives.front();
    scored.cost_s = cost_s(trial);
  }
  try {
    return search::compare::ScoredSpace(std::move(configurations), cutoff);
  } catch (const std::invalid_argument& error) {
    throw search::DataError(fmt::format("{} cannot be scored: {}", recording.name(), error.what()));
  }
}

}  // namespace warptune::tuner::replay
