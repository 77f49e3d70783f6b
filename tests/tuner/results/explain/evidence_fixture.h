// Sessions made up for one question each: a cost function over a grid of parameters, measured without noise.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "search/parameter.h"
#include "tuner/results/explain/evidence.h"

namespace warptune::tuner {

using CostFunction = std::function<double(const search::NamedValues&)>;

inline std::int64_t number(const search::NamedValues& values, const std::string& name) {
  return std::get<std::int64_t>(*search::find_value(values, name));
}

inline search::Parameter numbers(const std::string& name, const std::vector<std::int64_t>& values) {
  return {name, {values.begin(), values.end()}};
}

inline db::StoredTrial measured(db::TrialId id, search::NamedValues values, double time_ms, double error = 0.001) {
  db::StoredTrial stored;
  stored.id = id;
  stored.values = std::move(values);
  stored.trial.measurement = search::Measurement{{time_ms}, time_ms, error};
  stored.trial.objectives = {time_ms};
  return stored;
}

inline db::StoredTrial failed(db::TrialId id, search::NamedValues values, search::Outcome outcome) {
  db::StoredTrial stored;
  stored.id = id;
  stored.values = std::move(values);
  stored.trial.outcome = outcome;
  return stored;
}

// The cheapest trial as the winner, without finals.
inline void settle(Evidence& evidence) {
  const db::StoredTrial* best = nullptr;
  for (const db::StoredTrial& trial : evidence.trials)
    if (const auto cost = log_cost(trial); cost && (!best || *cost < *log_cost(*best))) best = &trial;
  evidence.winner.emplace();
  evidence.winner->trial = best->id;
  evidence.winner->objective = best->trial.objectives.front();
  evidence.winner->time_ms = best->trial.measurement->median_ms;
  evidence.winner->relative_error = evidence.winner->time_error = best->trial.measurement->relative_error;
}

// Every configuration, numbered from 1 in the order of an odometer whose last parameter turns fastest.
inline Evidence exhausted(const std::vector<search::Parameter>& parameters, const CostFunction& cost) {
  Evidence evidence;
  std::vector<search::NamedValues> all{{}};
  for (const search::Parameter& parameter : parameters) {
    std::vector<search::NamedValues> longer;
    for (const search::NamedValues& values : all)
      for (const search::Value& value : parameter.values) {
        longer.push_back(values);
        longer.back().emplace_back(parameter.name, value);
      }
    all = std::move(longer);
  }
  for (const search::NamedValues& values : all)
    evidence.trials.push_back(measured(static_cast<db::TrialId>(evidence.trials.size() + 1), values, cost(values)));
  settle(evidence);
  return evidence;
}

}  // namespace warptune::tuner
