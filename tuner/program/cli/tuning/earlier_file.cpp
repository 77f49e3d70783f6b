// Finds out the format of an earlier file, and makes sessions of what it holds.
#include "tuner/program/cli/tuning/earlier_file.h"

#include "db/interchange/formats.h"
#include "db/interchange/session_json.h"
#include "db/interchange/sessions.h"
#include "tuner/results/wisdom/wisdom_file.h"
#include "tuner/system/read_file.h"

namespace warptune::tuner::cli {

namespace {

db::StoredTrial trial_of(const search::NamedValues& values, double objective) {
  db::StoredTrial stored;
  stored.values = values;
  stored.trial.objectives = {objective};
  return stored;
}

// Wisdom says how many times as good as the default a winner is, and only that carries over. So the winner counts 1.
EarlierSession session_of(const WisdomEntry& entry, const Wisdom& wisdom) {
  EarlierSession session;
  session.record.key.kernel = wisdom.kernel;
  session.record.key.device.name = entry.device;
  session.record.key.device.backend = entry.backend;
  session.record.key.problem_size = entry.sizes;
  session.record.key.variants = entry.variants;
  session.record.key.source_hash = entry.provenance.source_hash;
  session.record.objective = entry.provenance.objective.empty() ? "time" : entry.provenance.objective;
  session.trials.push_back(trial_of(entry.values, 1));
  if (entry.gain && *entry.gain > 1) session.trials.push_back(trial_of(wisdom.defaults, *entry.gain));
  return session;
}

std::vector<EarlierSession> sessions_of(const Wisdom& wisdom) {
  std::vector<EarlierSession> sessions;
  for (const WisdomEntry& entry : wisdom.entries) sessions.push_back(session_of(entry, wisdom));
  return sessions;
}

std::vector<EarlierSession> sessions_of(std::vector<db::SessionDump> dumps) {
  std::vector<EarlierSession> sessions;
  for (db::SessionDump& dump : dumps) {
    EarlierSession session{std::move(dump.session), {}};
    for (db::SessionDump::DumpedTrial& trial : dump.trials) session.trials.push_back(std::move(trial.stored));
    sessions.push_back(std::move(session));
  }
  return sessions;
}

}  // namespace

EarlierFile read_earlier_file(const std::filesystem::path& file) {
  if (db::holds_sessions(file)) return {file.string(), sessions_of(db::read_sessions(file))};
  if (const auto text = read_file(file); text && text->find("\"warptune-wisdom/") != std::string::npos)
    return {file.string(), sessions_of(parse_wisdom(*text, file.string()))};
  const db::RecordedSpace space = db::read_recorded_space(file);
  return {file.string(), {{db::session_record(space), db::stored_trials(space)}}};
}

}  // namespace warptune::tuner::cli
