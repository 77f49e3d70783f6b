// Splits old policies, names the models of devices, and settles the times of sessions of earlier versions.
#include "db/interchange/session_json_v1.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "db/objectives.h"
#include "search/expression/expression.h"

namespace warptune::db {

namespace {

// Cuts the text at the mark and returns what follows it. A policy of version 1 is such a text: "… capture=5ce1
// restrict=A ; B".
std::string cut_at(std::string& text, const std::string& mark) {
  const std::size_t begin = text.find(mark);
  if (begin == std::string::npos) return {};
  const std::string rest = text.substr(begin + mark.size());
  text.resize(begin);
  return rest;
}

void split_policy(SessionKey& key) {
  std::string restrictions = cut_at(key.policy, " restrict=");
  key.capture = cut_at(key.policy, " capture=");
  while (!restrictions.empty()) {
    const std::string next = cut_at(restrictions, " ; ");
    key.restrictions.push_back(restrictions);
    restrictions = next;
  }
}

void name_model(DeviceRecord& device) {
  const auto limit = [&](const char* name) {
    const search::Value* value = search::find_value(device.limits, name);
    return value ? search::to_double(*value) : 0.0;
  };
  device.memory_gib = std::llround(limit("total_memory_bytes") / (1024.0 * 1024 * 1024));
  device.multiprocessors = std::llround(limit("multiprocessors"));
}

bool certainly_ran(search::Outcome outcome) {
  return outcome == search::Outcome::correct || outcome == search::Outcome::wrong_result ||
         outcome == search::Outcome::launch_error;
}

// Returns the trial whose figure the winner was compared with, if there is just one such trial.
std::optional<TrialId> default_trial(const SessionDump& dump) {
  const Winner& winner = *dump.winner;
  std::vector<TrialId> found;
  for (const WinnerFinalist& finalist : winner.finalists)
    if (finalist.objective == winner.default_objective) found.push_back(finalist.trial);
  if (found.size() == 1) return found.front();
  found.clear();
  for (const SessionDump::DumpedTrial& trial : dump.trials)
    if (trial.stored.trial.correct() && !trial.stored.trial.objectives.empty() &&
        trial.stored.trial.objectives.front() == winner.default_objective)
      found.push_back(trial.stored.id);
  return found.size() == 1 ? std::optional(found.front()) : std::nullopt;
}

// Sets the settled time and error of a trial: those of the finals if it was in them, else those of the search.
void settle(const SessionDump& dump, TrialId id, std::optional<double>& time_ms, std::optional<double>& time_error) {
  for (const WinnerFinalist& finalist : dump.winner->finalists)
    if (finalist.trial == id) {
      time_ms = finalist.time_ms;
      time_error = finalist.time_error;
      return;
    }
  const auto& measurement = dump.trials.at(static_cast<std::size_t>(id) - 1).stored.trial.measurement;
  if (!measurement) return;
  time_ms = measurement->median_ms;
  time_error = measurement->relative_error;
}

// Returns whether the trial's objective is its metric negated; nothing where the trial does not tell.
std::optional<bool> is_negated(const search::Trial& trial, std::size_t i, const std::string& name) {
  const auto metric = trial.metrics.find(name);
  if (i >= trial.objectives.size() || metric == trial.metrics.end()) return std::nullopt;
  const double stored = trial.objectives[i];
  if (stored == 0 || metric->second == 0 || !std::isfinite(stored) || !std::isfinite(metric->second))
    return std::nullopt;
  return (stored < 0) != (metric->second < 0);
}

bool is_maximised_by_signs(const SessionDump& dump, std::size_t i, const std::string& name) {
  bool below_zero = false;
  for (const auto& [stored, store] : dump.trials) {
    const search::Trial& trial = stored.trial;
    if (!trial.correct()) continue;
    if (const auto told = is_negated(trial, i, name)) return *told;
    below_zero |= i < trial.objectives.size() && std::isfinite(trial.objectives[i]) && trial.objectives[i] < 0;
  }
  return below_zero;
}

}  // namespace

std::string maximised_by_signs(const SessionDump& dump) {
  const std::vector<std::string> names = objective_names(dump.session.objective);
  std::vector<std::string> maximised;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (is_maximised_by_signs(dump, i, names[i])) maximised.push_back(names[i]);
  return fmt::format("{}", fmt::join(maximised, ","));
}

void bring_up_to_date(SessionDump& dump, const std::string& device_uuid) {
  split_policy(dump.session.key);
  name_model(dump.session.key.device);
  for (SessionDump::DumpedTrial& trial : dump.trials)
    if (trial.stored.trial.device_uuid.empty() && certainly_ran(trial.stored.trial.outcome))
      trial.stored.trial.device_uuid = device_uuid;
  if (!dump.winner) return;
  Winner& winner = *dump.winner;
  const std::string& objective = dump.session.objective;
  if (objective == "time" || objective.starts_with("time,"))
    for (WinnerFinalist& finalist : winner.finalists) {
      finalist.time_ms = finalist.objective;
      finalist.time_error = finalist.relative_error;
    }
  if (winner.default_objective) winner.default_trial = default_trial(dump);
  settle(dump, winner.trial, winner.time_ms, winner.time_error);
  if (winner.default_trial) settle(dump, *winner.default_trial, winner.default_time_ms, winner.default_time_error);
}

}  // namespace warptune::db
