// Saves winners with their ties, finalists and settled times.
#include "db/tables/winners.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "db/tables/json.h"
#include "db/tables/trials.h"
#include "db/tables/winner_rule.h"

namespace warptune::db {

const std::string winner_columns =
    "session_id, trial_id, objective, relative_error, default_objective, decided_at, default_trial_id, time_ms, "
    "time_error,"
    " default_time_ms, default_time_error";
const std::string finalist_columns =
    "session_id, position, trial_id, objective, relative_error, visits, slower_by, slower_low, slower_high, time_ms,"
    " time_error, metrics";
const std::string winner_replacement =
    "trial_id = excluded.trial_id, objective = excluded.objective, relative_error = excluded.relative_error,"
    " default_objective = excluded.default_objective, decided_at = excluded.decided_at,"
    " default_trial_id = excluded.default_trial_id, time_ms = excluded.time_ms, time_error = excluded.time_error,"
    " default_time_ms = excluded.default_time_ms, default_time_error = excluded.default_time_error";

void bind_winner(Query& query, SessionId session, TrialId trial, std::optional<TrialId> default_trial,
                 const std::string& decided_at, const Winner& winner) {
  query.bind(session).bind(trial).bind(winner.objective).bind(winner.relative_error).bind(winner.default_objective);
  query.bind(decided_at).bind(default_trial).bind(winner.time_ms).bind(winner.time_error);
  query.bind(winner.default_time_ms).bind(winner.default_time_error);
}

void bind_finalist(Query& query, SessionId session, std::size_t position, TrialId trial,
                   const WinnerFinalist& finalist) {
  query.bind(session).bind(static_cast<std::int64_t>(position)).bind(trial).bind(finalist.objective);
  query.bind(finalist.relative_error).bind(finalist.visits).bind(finalist.slower_by).bind(finalist.slower_low);
  query.bind(finalist.slower_high).bind(finalist.time_ms).bind(finalist.time_error).bind(to_json(finalist.metrics));
}

namespace {

const std::string winners_table = "winners (" + winner_columns + ")";
const std::string finalists_table = "winner_finalists (" + finalist_columns + ")";

void replace_ties(Connection& connection, SessionId session, const std::vector<TrialId>& ties) {
  connection.query("DELETE FROM winner_ties WHERE session_id = ?").bind(session).run();
  for (std::size_t i = 0; i < ties.size(); ++i) {
    Query insert = connection.query("INSERT INTO winner_ties VALUES (?, ?, ?)");
    insert.bind(session).bind(static_cast<std::int64_t>(i)).bind(ties[i]).run();
  }
}

std::vector<TrialId> load_ties(Connection& connection, SessionId session) {
  Query select = connection.query("SELECT trial_id FROM winner_ties WHERE session_id = ? ORDER BY position");
  select.bind(session);
  std::vector<TrialId> ties;
  while (select.step()) ties.push_back(select.integer());
  return ties;
}

void replace_finalists(Connection& connection, SessionId session, const std::vector<WinnerFinalist>& finalists) {
  connection.query("DELETE FROM winner_finalists WHERE session_id = ?").bind(session).run();
  for (std::size_t i = 0; i < finalists.size(); ++i) {
    const WinnerFinalist& finalist = finalists[i];
    Query insert = connection.query("INSERT INTO " + finalists_table + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    bind_finalist(insert, session, i, finalist.trial, finalist);
    insert.run();
  }
}

std::vector<WinnerFinalist> load_finalists(Connection& connection, SessionId session) {
  Query select = connection.query(
      "SELECT trial_id, objective, relative_error, visits, slower_by, slower_low, slower_high, time_ms, time_error,"
      " metrics FROM winner_finalists WHERE session_id = ? ORDER BY position");
  select.bind(session);
  std::vector<WinnerFinalist> finalists;
  while (select.step())
    finalists.push_back({select.integer(), select.real(), select.real(), select.integer(), select.real(), select.real(),
                         select.real(), select.optional_real(), select.optional_real(),
                         number_map_from_json(select.text())});
  return finalists;
}

// Returns the time of one trial and its error: the finals' if it was in them, else its own measurement's.
std::pair<std::optional<double>, std::optional<double>> settled_time(Connection& connection, const Winner& winner,
                                                                     TrialId trial) {
  for (const WinnerFinalist& finalist : winner.finalists)
    if (finalist.trial == trial && finalist.time_ms) return {finalist.time_ms, finalist.time_error};
  Query select = connection.query("SELECT median_ms, relative_error, cut_short FROM trials WHERE id = ?");
  select.bind(trial);
  if (!select.step()) return {};
  const auto time_ms = select.optional_real();
  const auto error = select.optional_real();
  // A measurement that was cut short has only an assumed error.
  if (select.optional_integer().value_or(0) != 0) return {time_ms, std::numeric_limits<double>::infinity()};
  return {time_ms, error};
}

std::int64_t correct_trials(Connection& connection, SessionId session) {
  Query select = connection.query("SELECT trials FROM outcome_counts WHERE session_id = ? AND outcome = 'correct'");
  select.bind(session);
  return select.step() ? select.integer() : 0;
}

Winner with_times(Connection& connection, Winner winner) {
  std::tie(winner.time_ms, winner.time_error) = settled_time(connection, winner, winner.trial);
  if (winner.default_trial)
    std::tie(winner.default_time_ms, winner.default_time_error) =
        settled_time(connection, winner, *winner.default_trial);
  return winner;
}

// Returns a trial as the store has it now. A trial that is not there won nothing, so it counts as crashed.
search::Trial trial_of(Connection& connection, TrialId id) {
  auto stored = load_trial(connection, id);
  if (!stored) stored.emplace().trial.outcome = search::Outcome::crash;
  return std::move(stored->trial);
}

}  // namespace

bool settle_winner(Connection& connection, SessionId session, const Winner& decided) {
  // Of two processes that settle one session at a server, the second waits here for the first one's winner.
  connection.query("UPDATE sessions SET state = state WHERE id = ?").bind(session).run();
  Winner winner = not_behind_default(decided);
  const search::Trial trial = trial_of(connection, winner.trial);
  if (winner.trial != decided.trial && !winner.relative_error && trial.measurement)
    winner.relative_error = trial.measurement->relative_error;
  if (const auto earlier = load_winner(connection, session)) {
    const search::Trial earlier_trial = trial_of(connection, earlier->trial);
    if (!replaces(winner, foundation_of(winner, trial), *earlier, foundation_of(*earlier, earlier_trial))) return false;
  }
  save_winner(connection, session, winner);
  return true;
}

void save_winner(Connection& connection, SessionId session, const Winner& decided) {
  const Winner winner = with_times(connection, decided);
  Query upsert = connection.query("INSERT INTO " + winners_table +
                                  " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (session_id) DO UPDATE SET " +
                                  winner_replacement);
  bind_winner(upsert, session, winner.trial, winner.default_trial, connection.now(), winner);
  upsert.run();
  replace_ties(connection, session, winner.ties);
  replace_finalists(connection, session, winner.finalists);
}

void remove_winner(Connection& connection, SessionId session) {
  connection.query("DELETE FROM winners WHERE session_id = ?").bind(session).run();  // its ties go with it
}

std::optional<Winner> load_winner(Connection& connection, SessionId session) {
  Query select = connection.query(
      "SELECT trial_id, objective, relative_error, default_objective, decided_at, default_trial_id, time_ms, "
      "time_error,"
      " default_time_ms, default_time_error FROM winners WHERE session_id = ?");
  select.bind(session);
  if (!select.step()) return std::nullopt;
  Winner winner{select.integer(), select.real(), select.optional_real(), select.optional_real(), {}, {}};
  winner.decided_at = select.text();
  winner.default_trial = select.optional_integer();
  winner.time_ms = select.optional_real();
  winner.time_error = select.optional_real();
  winner.default_time_ms = select.optional_real();
  winner.default_time_error = select.optional_real();
  winner.ties = load_ties(connection, session);
  winner.finalists = load_finalists(connection, session);
  if (winner.finalists.empty()) winner.chosen_from = std::max<std::int64_t>(1, correct_trials(connection, session));
  return winner;
}

}  // namespace warptune::db
