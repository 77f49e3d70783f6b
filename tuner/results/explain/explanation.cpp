// Calls the other parts of this folder and puts their findings together.
#include "tuner/results/explain/explanation.h"

#include <algorithm>

#include "db/settled.h"

namespace warptune::tuner {

namespace {

const Change* alone(const Explanation& explanation, const std::string& parameter, const search::Value& value) {
  const auto changes = std::ranges::find(explanation.changes, parameter, &ParameterChanges::parameter);
  if (changes == explanation.changes.end()) return nullptr;
  const auto found = std::ranges::find_if(changes->changes, [&](const Change& change) {
    return change.difference && search::same_value(change.value, value);
  });
  return found == changes->changes.end() ? nullptr : &*found;
}

std::optional<Residency> main_residency(const TrialView& trial) {
  return trial.launches.empty() ? std::nullopt : std::optional(trial.launches.front().residency);
}

}  // namespace

TrialView view(const Evidence& evidence, const db::StoredTrial& trial) {
  TrialView result;
  result.trial = trial.id;
  const search::NamedValues& limits = evidence.session.key.device.limits;
  for (const search::LaunchUse& launch : trial.trial.launches)
    result.launches.push_back({launch, residency(launch, limits)});
  if (const auto launch = main_launch(trial.trial); launch && result.launches.empty())
    result.launches.push_back({*launch, residency(*launch, limits)});
  const auto time_ms = db::settled(evidence.winner, trial).time_ms;
  if (!trial.trial.correct() || !time_ms) return result;
  result.attainment = attainment(evidence.session, trial.trial.work, *time_ms, evidence.roofs);
  if (result.attainment) result.roof_time_ms = *time_ms * result.attainment->nearest().share;
  return result;
}

Explanation explain(const Evidence& evidence) {
  Explanation result;
  if (const db::StoredTrial* winner = evidence.winning()) result.winner = view(evidence, *winner);
  result.changes = single_changes(evidence);
  result.interactions = interactions(evidence);
  result.importance = importance(evidence);
  result.progress = progress(evidence);
  result.coverage = coverage(evidence);
  result.exclusions = exclusions(evidence);
  result.accuracy = accuracy(evidence);
  if (result.winner)
    result.advice =
        advice(evidence, result.changes, result.progress, main_residency(*result.winner), result.winner->attainment);
  return result;
}

std::vector<TrialDifference> differences(const Evidence& evidence, const Explanation& explanation,
                                         const db::StoredTrial& trial) {
  std::vector<TrialDifference> result;
  const db::StoredTrial* winner = evidence.winning();
  if (!winner) return result;
  for (const auto& [name, value] : trial.values) {
    const search::Value* best = search::find_value(winner->values, name);
    if (best && !search::same_value(*best, value))
      result.push_back({name, value, *best, alone(explanation, name, value)});
  }
  return result;
}

}  // namespace warptune::tuner
