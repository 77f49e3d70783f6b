#include "db/interchange/session_json_v1.h"

#include <algorithm>
#include <cmath>

#include "search/expression/expression.h"

namespace warptune::db {

namespace {

// "… capture=5ce1 restrict=A ; B": cuts the text at the mark and gives what follows it.
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

// The trial whose figure the winner was compared with, if there is just one such.
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

// What a trial's time and error are, with the finals' before the search's.
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

}  // namespace

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
