// Saves and loads the rows of the table `checks`.
#include "db/tables/checks.h"

#include "search/plain_text.h"

namespace warptune::db {

void save_check(Connection& connection, const TrialCheck& check) {
  Query insert = connection.query(
      "INSERT INTO checks (trial_id, checked_at, outcome, objective, relative_error, recorded_objective,"
      " differs, message) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (trial_id, checked_at) DO UPDATE SET"
      " outcome = excluded.outcome, objective = excluded.objective, relative_error = excluded.relative_error,"
      " recorded_objective = excluded.recorded_objective, differs = excluded.differs, message = excluded.message");
  insert.bind(check.trial).bind(check.checked_at.empty() ? connection.now() : check.checked_at);
  insert.bind(std::string(search::to_string(check.outcome))).bind(check.objective).bind(check.relative_error);
  insert.bind(check.recorded_objective).bind(check.differs).bind(search::valid_utf8(check.message)).run();
}

namespace {

// CROSS JOIN makes SQLite begin with the checks and look up their trials, which are far more. Left to itself, it may go
// the other way round.
const std::string select_checks =
    "SELECT t.session_id, c.trial_id, c.checked_at, c.outcome, c.objective, c.relative_error, c.recorded_objective,"
    " c.differs, c.message FROM checks c CROSS JOIN trials t WHERE t.id = c.trial_id AND";

// Reads a row of `select_checks` after its first column, the session.
TrialCheck read_check(Query& row) {
  TrialCheck check;
  check.trial = row.integer();
  check.checked_at = row.text();
  check.outcome = search::outcome_from_string(row.text()).value_or(search::Outcome::crash);
  check.objective = row.optional_real();
  check.relative_error = row.optional_real();
  check.recorded_objective = row.optional_real();
  check.differs = row.text();
  check.message = row.text();
  return check;
}

}  // namespace

std::vector<TrialCheck> load_checks(Connection& connection, SessionId session) {
  Query select = connection.query(select_checks + " t.session_id = ? ORDER BY c.checked_at, c.trial_id");
  select.bind(session);
  std::vector<TrialCheck> checks;
  while (select.step()) {
    select.integer();  // skips the column of the session
    checks.push_back(read_check(select));
  }
  return checks;
}

std::map<SessionId, std::vector<TrialCheck>> load_all_checks(Connection& connection, const std::string& since) {
  Query select = connection.query(select_checks + " c.checked_at >= ? ORDER BY c.checked_at, c.trial_id");
  select.bind(since);
  std::map<SessionId, std::vector<TrialCheck>> checks;
  while (select.step()) {
    const SessionId session = select.integer();
    checks[session].push_back(read_check(select));
  }
  return checks;
}

}  // namespace warptune::db
