// Chooses and copies winners in SQL, with the tables `merged_ids`, `merged_trials` and `other_…` of merge.cpp.
#include "db/upkeep/merge_winners.h"

#include <optional>
#include <vector>

#include "db/tables/winner_rule.h"
#include "db/tables/winners.h"

namespace warptune::db {

namespace {

struct Pair {
  SessionId ours = 0, theirs = 0;
  bool new_here = false;  // we have no winner
  Foundation our_winner, their_winner;
};

Foundation read_foundation(Query& row) {
  Foundation on;
  on.objective = row.real();
  on.relative_error = row.optional_real();
  on.visits = row.integer();
  on.decided_at = row.text();
  on.wrong = row.integer() != 0;
  return on;
}

// Returns all sessions of which the other store has a winner. Of two trials of a configuration the later one will stay,
// so a winner is wrong if the other store has a later trial of its configuration that failed.
std::vector<Pair> read_pairs(Connection& connection) {
  Query row = connection.query(
      "SELECT i.ours, i.theirs, CASE WHEN w.session_id IS NULL THEN 1 ELSE 0 END,"
      " w.objective, w.relative_error, COALESCE((SELECT f.visits FROM winner_finalists f"
      "  WHERE f.session_id = w.session_id AND f.trial_id = w.trial_id), 0), COALESCE(w.decided_at, ''),"
      " CASE WHEN EXISTS (SELECT 1 FROM trials m"
      "  JOIN other_trials t ON t.session_id = i.theirs AND t.configuration = m.configuration WHERE m.id = w.trial_id"
      "  AND t.outcome <> 'correct' AND t.recorded_at > m.recorded_at) THEN 1 ELSE 0 END,"
      " o.objective, o.relative_error, COALESCE((SELECT f.visits FROM other_winner_finalists f"
      "  WHERE f.session_id = o.session_id AND f.trial_id = o.trial_id), 0), o.decided_at,"
      " CASE WHEN EXISTS (SELECT 1 FROM other_trials t"
      "  JOIN trials m ON m.session_id = i.ours AND m.configuration = t.configuration WHERE t.id = o.trial_id"
      "  AND m.outcome <> 'correct' AND m.recorded_at > t.recorded_at) THEN 1 ELSE 0 END"
      " FROM merged_ids i JOIN other_winners o ON o.session_id = i.theirs"
      " LEFT JOIN winners w ON w.session_id = i.ours");
  std::vector<Pair> pairs;
  while (row.step()) {
    Pair pair{row.integer(), row.integer(), row.integer() != 0, {}, {}};
    pair.our_winner = read_foundation(row);
    pair.their_winner = read_foundation(row);
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

}  // namespace

void choose_winners(Connection& connection) {
  connection.execute("CREATE TEMP TABLE taken_winners AS SELECT ours, theirs FROM merged_ids WHERE 1 = 0");
  for (const Pair& pair : read_pairs(connection)) {
    if (!pair.new_here && !replaces(pair.their_winner, pair.our_winner)) continue;
    connection.query("INSERT INTO taken_winners VALUES (?, ?)").bind(pair.ours).bind(pair.theirs).run();
  }
}

std::string trial_is_replaced() {
  const std::string both_correct = " AND excluded.outcome = 'correct' AND trials.outcome = 'correct'";
  // The condition holds for the trial of a winner that stays ours and that no finals measured, so that its figures are
  // those of the trial.
  const std::string our_winner =
      "EXISTS (SELECT 1 FROM winners w WHERE w.session_id = trials.session_id AND w.trial_id = trials.id"
      " AND NOT EXISTS (SELECT 1 FROM taken_winners n WHERE n.ours = w.session_id)"
      " AND NOT EXISTS (SELECT 1 FROM winner_finalists f WHERE f.session_id = w.session_id"
      "  AND f.trial_id = w.trial_id))";
  const std::string their_winner =
      "EXISTS (SELECT 1 FROM taken_winners n JOIN other_winners w ON w.session_id = n.theirs"
      " JOIN other_trials t ON t.id = w.trial_id WHERE n.ours = trials.session_id"
      " AND t.configuration = trials.configuration"
      " AND NOT EXISTS (SELECT 1 FROM other_winner_finalists f WHERE f.session_id = w.session_id"
      "  AND f.trial_id = w.trial_id))";
  return "(excluded.recorded_at > trials.recorded_at AND NOT (" + our_winner + both_correct +
         ")) OR (excluded.recorded_at < trials.recorded_at AND " + their_winner + both_correct + ")";
}

std::int64_t merge_winners(Connection& connection) {
  connection.execute(
      "CREATE TEMP TABLE merged_trials AS SELECT t.id AS theirs, m.id AS ours FROM other_trials t"
      " JOIN merged_ids i ON i.theirs = t.session_id"
      " JOIN trials m ON m.session_id = i.ours AND m.configuration = t.configuration"
      " WHERE t.id IN (SELECT trial_id FROM other_winners UNION SELECT trial_id FROM other_winner_ties"
      " UNION SELECT trial_id FROM other_winner_finalists UNION SELECT default_trial_id FROM other_winners"
      " UNION SELECT trial_id FROM other_checks)");
  const std::string insert =
      "INSERT INTO winners (" + winner_columns +
      ") SELECT i.ours, t.ours, w.objective, w.relative_error, w.default_objective, w.decided_at, d.ours, w.time_ms,"
      " w.time_error, w.default_time_ms, w.default_time_error"
      " FROM other_winners w JOIN taken_winners i ON i.theirs = w.session_id"
      " JOIN merged_trials t ON t.theirs = w.trial_id"
      " LEFT JOIN merged_trials d ON d.theirs = w.default_trial_id WHERE true ON CONFLICT (session_id) DO UPDATE SET " +
      winner_replacement;
  const auto changed = connection.execute(insert);
  connection.execute("DELETE FROM winner_ties WHERE session_id IN (SELECT ours FROM taken_winners)");
  connection.execute(
      "INSERT INTO winner_ties SELECT w.ours, o.position, t.ours FROM taken_winners w"
      " JOIN other_winner_ties o ON o.session_id = w.theirs JOIN merged_trials t ON t.theirs = o.trial_id");
  connection.execute("DELETE FROM winner_finalists WHERE session_id IN (SELECT ours FROM taken_winners)");
  const std::string finalists =
      "INSERT INTO winner_finalists (" + finalist_columns +
      ") SELECT w.ours, o.position, t.ours, o.objective, o.relative_error, o.visits, o.slower_by, o.slower_low,"
      " o.slower_high, o.time_ms, o.time_error, o.metrics FROM taken_winners w"
      " JOIN other_winner_finalists o ON o.session_id = w.theirs JOIN merged_trials t ON t.theirs = o.trial_id";
  connection.execute(finalists);
  return changed;
}

void withdraw_wrong_winners(Connection& connection) {
  const std::string best =
      " FROM trials t WHERE t.session_id = winners.session_id AND t.outcome = 'correct'"
      " AND t.objective IS NOT NULL ORDER BY t.objective LIMIT 1)";
  const std::string wrong =
      " WHERE session_id IN (SELECT ours FROM merged_ids)"
      " AND (SELECT outcome FROM trials WHERE id = trial_id) <> 'correct'";
  connection.execute(("DELETE FROM winner_ties" + wrong));
  connection.execute(
      ("DELETE FROM winner_finalists WHERE session_id IN (SELECT session_id FROM winners" + wrong + ")"));
  connection.execute(("DELETE FROM winners" + wrong + " AND NOT EXISTS (SELECT 1" + best));
  Query replace = connection.query(
      // Without finals the search's figures count, also for the default.
      "UPDATE winners SET (trial_id, objective, relative_error, time_ms, time_error) ="
      " (SELECT t.id, t.objective, t.relative_error, t.median_ms, t.relative_error" +
      best +
      ", (default_objective, default_time_ms, default_time_error) = (SELECT"
      " CASE WHEN default_trial_id IS NULL THEN default_objective ELSE t.objective END, t.median_ms,"
      " t.relative_error FROM (SELECT 1) AS one LEFT JOIN trials t ON t.id = default_trial_id)"
      ", decided_at = ?" +
      wrong);
  replace.bind(connection.now()).run();
  connection.execute(
      "DELETE FROM winner_ties WHERE trial_id = (SELECT trial_id FROM winners w WHERE w.session_id ="
      " winner_ties.session_id)");
}

}  // namespace warptune::db
