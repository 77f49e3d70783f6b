#include "db/checks.h"

#include "search/plain_text.h"

namespace warptune::db {

void save_check(Connection& connection, const TrialCheck& check) {
  Query insert = connection.query(
      "INSERT OR REPLACE INTO checks (trial_id, checked_at, outcome, objective, relative_error, recorded_objective,"
      " differs, message) VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  insert.bind(check.trial).bind(check.checked_at.empty() ? connection.now() : check.checked_at);
  insert.bind(std::string(search::to_string(check.outcome))).bind(check.objective).bind(check.relative_error);
  insert.bind(check.recorded_objective).bind(check.differs).bind(search::valid_utf8(check.message)).run();
}

std::vector<TrialCheck> load_checks(Connection& connection, SessionId session) {
  Query select = connection.query(
      "SELECT c.trial_id, c.checked_at, c.outcome, c.objective, c.relative_error, c.recorded_objective, c.differs,"
      " c.message FROM checks c JOIN trials t ON t.id = c.trial_id WHERE t.session_id = ?"
      " ORDER BY c.checked_at, c.trial_id");
  select.bind(session);
  std::vector<TrialCheck> checks;
  while (select.step()) {
    TrialCheck check;
    check.trial = select.integer();
    check.checked_at = select.text();
    check.outcome = search::outcome_from_string(select.text()).value_or(search::Outcome::crash);
    check.objective = select.optional_real();
    check.relative_error = select.optional_real();
    check.recorded_objective = select.optional_real();
    check.differs = select.text();
    check.message = select.text();
    checks.push_back(std::move(check));
  }
  return checks;
}

}  // namespace warptune::db
