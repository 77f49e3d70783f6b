#include "db/winners.h"

namespace warptune::db {

namespace {

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
    Query insert = connection.query("INSERT INTO winner_finalists VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
    insert.bind(session).bind(static_cast<std::int64_t>(i)).bind(finalist.trial).bind(finalist.objective);
    insert.bind(finalist.relative_error).bind(finalist.visits);
    insert.bind(finalist.slower_by).bind(finalist.slower_low).bind(finalist.slower_high).run();
  }
}

std::vector<WinnerFinalist> load_finalists(Connection& connection, SessionId session) {
  Query select = connection.query(
      "SELECT trial_id, objective, relative_error, visits, slower_by, slower_low, slower_high FROM winner_finalists"
      " WHERE session_id = ? ORDER BY position");
  select.bind(session);
  std::vector<WinnerFinalist> finalists;
  while (select.step())
    finalists.push_back({select.integer(), select.real(), select.real(), select.integer(), select.real(), select.real(),
                         select.real()});
  return finalists;
}

}  // namespace

void save_winner(Connection& connection, SessionId session, const Winner& winner) {
  Query upsert = connection.query(
      "INSERT INTO winners VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET trial_id = excluded.trial_id,"
      " objective = excluded.objective, relative_error = excluded.relative_error,"
      " default_objective = excluded.default_objective, decided_at = excluded.decided_at");
  upsert.bind(session).bind(winner.trial).bind(winner.objective).bind(winner.relative_error);
  upsert.bind(winner.default_objective).bind(connection.now()).run();
  replace_ties(connection, session, winner.ties);
  replace_finalists(connection, session, winner.finalists);
}

std::optional<Winner> load_winner(Connection& connection, SessionId session) {
  Query select = connection.query(
      "SELECT trial_id, objective, relative_error, default_objective FROM winners WHERE session_id = ?");
  select.bind(session);
  if (!select.step()) return std::nullopt;
  Winner winner{select.integer(), select.real(), select.optional_real(), select.optional_real(), {}, {}};
  winner.ties = load_ties(connection, session);
  winner.finalists = load_finalists(connection, session);
  return winner;
}

}  // namespace warptune::db
