#include "db/merge.h"

#include <fmt/format.h>

#include "db/dump.h"
#include "db/open.h"
#include "db/trials.h"
#include "db/winners.h"

namespace warptune::db {

namespace {

// The other store's file, readable as `other.…` while this is alive.
class Attached {
 public:
  Attached(Connection& connection, const std::string& uri) : connection_(connection) {
    SQLite::Statement attach(connection_.database(), "ATTACH ? AS other");
    attach.bind(1, uri);
    attach.exec();
  }
  Attached(const Attached&) = delete;
  Attached& operator=(const Attached&) = delete;
  ~Attached() { connection_.database().tryExec("DETACH other"); }

 private:
  Connection& connection_;
};

// Executes one statement and says how many rows it changed.
std::int64_t change(Connection& connection, const char* sql) {
  return connection.database().exec(sql);
}

std::int64_t count(Connection& connection, const char* sql) {
  SQLite::Statement statement(connection.database(), sql);
  statement.executeStep();
  return statement.getColumn(0).getInt64();
}

void merge_stores(Connection& connection, const std::string& source) {
  SQLite::Statement insert(connection.database(),
                           "INSERT INTO main.stores (uuid, file, merged_at)"
                           " SELECT uuid, iif(id = 1, ?1, file), ?2 FROM other.stores WHERE true"
                           " ON CONFLICT DO UPDATE SET merged_at = ?2, file = excluded.file WHERE id <> 1");
  insert.bind(1, source);
  insert.bind(2, connection.now());
  insert.exec();
}

// Rows of the two stores correspond by their content, never by their numbers.
std::int64_t merge_sessions(Connection& connection) {
  change(
      connection,
      "INSERT INTO main.devices (backend, name, architecture, driver, memory_gib, multiprocessors, limits)"
      " SELECT backend, name, architecture, driver, memory_gib, multiprocessors, limits FROM other.devices WHERE true"
      " ON CONFLICT DO NOTHING");
  change(connection,
         "INSERT INTO main.kernels (name, source_hash, manifest_hash)"
         " SELECT name, source_hash, manifest_hash FROM other.kernels WHERE true ON CONFLICT DO NOTHING");
  change(
      connection,
      "CREATE TEMP TABLE merged_sessions AS SELECT o.*, k.id AS kernel, d.id AS device, st.id AS store"
      " FROM other.sessions o JOIN other.kernels ok ON ok.id = o.kernel_id JOIN other.devices od ON od.id = o.device_id"
      " JOIN other.stores os ON os.id = o.store_id JOIN main.stores st ON st.uuid = os.uuid"
      " JOIN main.kernels k ON (k.name, k.source_hash, k.manifest_hash) = (ok.name, ok.source_hash, ok.manifest_hash)"
      " JOIN main.devices d ON (d.backend, d.name, d.architecture, d.driver, d.memory_gib, d.multiprocessors)"
      " = (od.backend, od.name, od.architecture, od.driver, od.memory_gib, od.multiprocessors)");
  // What ran elsewhere when that store was copied does not run here.
  const auto added = change(
      connection,
      "INSERT INTO main.sessions (kernel_id, device_id, problem_size, compiler, options, policy, capture, restrictions,"
      " strategy, seed, objective, space_size, state, tool_version, started_at, updated_at, store_id,"
      " origin, manifest, capture_file, problem_names)"
      " SELECT kernel, device, problem_size, compiler, options, policy, capture, restrictions, strategy, seed, "
      "objective,"
      " space_size, iif(state = 'running', 'interrupted', state), tool_version, started_at, updated_at, store, origin,"
      " manifest, capture_file, problem_names FROM temp.merged_sessions WHERE true ORDER BY id ON CONFLICT DO NOTHING");
  change(
      connection,
      "CREATE TEMP TABLE merged_ids AS SELECT m.id AS theirs, s.id AS ours FROM temp.merged_sessions m"
      " JOIN main.sessions s ON (s.kernel_id, s.device_id, s.problem_size, s.compiler, s.options, s.policy, s.capture,"
      " s.restrictions) = (m.kernel, m.device, m.problem_size, m.compiler, m.options, m.policy, m.capture,"
      " m.restrictions)");
  return added;
}

std::int64_t merge_trials(Connection& connection) {
  const std::string sql = "INSERT INTO main.trials (session_id, configuration, store_id, " + recorded_trial_columns() +
                          ") SELECT i.ours, t.configuration, st.id, " + recorded_trial_columns("t.") +
                          " FROM other.trials t JOIN temp.merged_ids i ON i.theirs = t.session_id"
                          " JOIN other.stores os ON os.id = t.store_id JOIN main.stores st ON st.uuid = os.uuid"
                          " WHERE true ORDER BY t.id ON CONFLICT (session_id, configuration) DO UPDATE SET " +
                          trial_replacement() +
                          ", store_id = excluded.store_id WHERE excluded.recorded_at > trials.recorded_at";
  return change(connection, sql.c_str());
}

// The later decision stays. Ties follow their winner.
std::int64_t merge_winners(Connection& connection) {
  change(connection,
         "CREATE TEMP TABLE merged_trials AS SELECT t.id AS theirs, m.id AS ours FROM other.trials t"
         " JOIN temp.merged_ids i ON i.theirs = t.session_id"
         " JOIN main.trials m ON m.session_id = i.ours AND m.configuration = t.configuration"
         " WHERE t.id IN (SELECT trial_id FROM other.winners UNION SELECT trial_id FROM other.winner_ties"
         " UNION SELECT trial_id FROM other.winner_finalists UNION SELECT default_trial_id FROM other.winners"
         " UNION SELECT trial_id FROM other.checks)");
  const std::string insert =
      "INSERT INTO main.winners (" + winner_columns +
      ") SELECT i.ours, t.ours, w.objective, w.relative_error, w.default_objective, w.decided_at, d.ours, w.time_ms,"
      " w.time_error, w.default_time_ms, w.default_time_error"
      " FROM other.winners w JOIN temp.merged_ids i ON i.theirs = w.session_id"
      " JOIN temp.merged_trials t ON t.theirs = w.trial_id"
      " LEFT JOIN temp.merged_trials d ON d.theirs = w.default_trial_id WHERE true ON CONFLICT DO UPDATE SET " +
      winner_replacement + " WHERE excluded.decided_at > winners.decided_at";
  const auto changed = change(connection, insert.c_str());
  change(connection,
         "CREATE TEMP TABLE taken_winners AS SELECT i.ours, i.theirs FROM temp.merged_ids i"
         " JOIN main.winners m ON m.session_id = i.ours JOIN other.winners o ON o.session_id = i.theirs"
         " AND o.decided_at = m.decided_at");
  change(connection, "DELETE FROM main.winner_ties WHERE session_id IN (SELECT ours FROM temp.taken_winners)");
  change(connection,
         "INSERT INTO main.winner_ties SELECT w.ours, o.position, t.ours FROM temp.taken_winners w"
         " JOIN other.winner_ties o ON o.session_id = w.theirs JOIN temp.merged_trials t ON t.theirs = o.trial_id");
  change(connection, "DELETE FROM main.winner_finalists WHERE session_id IN (SELECT ours FROM temp.taken_winners)");
  const std::string finalists =
      "INSERT INTO main.winner_finalists (" + finalist_columns +
      ") SELECT w.ours, o.position, t.ours, o.objective, o.relative_error, o.visits, o.slower_by, o.slower_low,"
      " o.slower_high, o.time_ms, o.time_error, o.metrics FROM temp.taken_winners w"
      " JOIN other.winner_finalists o ON o.session_id = w.theirs JOIN temp.merged_trials t ON t.theirs = o.trial_id";
  change(connection, finalists.c_str());
  return changed;
}

// A trial that is wrong in one store is wrong in both, whatever the other believed when it chose its winner.
void withdraw_wrong_winners(Connection& connection) {
  const std::string best =
      " FROM main.trials t WHERE t.session_id = winners.session_id AND t.outcome = 'correct'"
      " AND t.objective IS NOT NULL ORDER BY t.objective LIMIT 1)";
  const std::string wrong =
      " WHERE session_id IN (SELECT ours FROM temp.merged_ids)"
      " AND (SELECT outcome FROM main.trials WHERE id = trial_id) <> 'correct'";
  change(connection, ("DELETE FROM main.winner_ties" + wrong).c_str());
  change(connection,
         ("DELETE FROM main.winner_finalists WHERE session_id IN (SELECT session_id FROM main.winners" + wrong + ")")
             .c_str());
  change(connection, ("DELETE FROM main.winners" + wrong + " AND NOT EXISTS (SELECT 1" + best).c_str());
  SQLite::Statement replace(connection.database(),
                            // Without finals the search's figures stand, the default's too.
                            "UPDATE main.winners SET (trial_id, objective, relative_error, time_ms, time_error) ="
                            " (SELECT t.id, t.objective, t.relative_error, t.median_ms, t.relative_error" +
                                best +
                                ", (default_objective, default_time_ms, default_time_error) = (SELECT"
                                " iif(default_trial_id IS NULL, default_objective, t.objective), t.median_ms,"
                                " t.relative_error FROM (SELECT 1) LEFT JOIN main.trials t ON t.id = default_trial_id)"
                                ", decided_at = ?" +
                                wrong);
  replace.bind(1, connection.now());
  replace.exec();
  change(connection,
         "DELETE FROM main.winner_ties WHERE trial_id = (SELECT trial_id FROM main.winners w WHERE w.session_id ="
         " winner_ties.session_id)");
}

// Nothing replaces a check; two of a trial at the same time are the same one.
std::int64_t merge_checks(Connection& connection) {
  return change(connection,
                "INSERT INTO main.checks (trial_id, checked_at, outcome, objective, relative_error, recorded_objective,"
                " differs, message) SELECT t.ours, c.checked_at, c.outcome, c.objective, c.relative_error,"
                " c.recorded_objective, c.differs, c.message FROM other.checks c"
                " JOIN temp.merged_trials t ON t.theirs = c.trial_id WHERE true ON CONFLICT DO NOTHING");
}

void drop_scratch(Connection& connection) {
  for (const char* table : {"merged_sessions", "merged_ids", "merged_trials", "taken_winners"})
    connection.database().exec(std::string("DROP TABLE temp.") + table);
}

// What `other` holds, which is attached, in the caller's transaction.
MergeReport merge_attached(Connection& connection, const std::string& source) {
  const char* all_trials = "SELECT count(*) FROM main.trials";
  MergeReport report;
  const std::int64_t before = count(connection, all_trials);
  merge_stores(connection, source);
  report.sessions_added = merge_sessions(connection);
  const std::int64_t changed = merge_trials(connection);
  report.trials_added = count(connection, all_trials) - before;
  report.trials_replaced = changed - report.trials_added;
  report.winners_changed = merge_winners(connection);
  withdraw_wrong_winners(connection);
  report.checks_added = merge_checks(connection);
  drop_scratch(connection);
  return report;
}

}  // namespace

MergeReport merge_store(Connection& connection, const std::filesystem::path& other, Effect effect) {
  const std::filesystem::path file = std::filesystem::absolute(other);
  std::error_code ignored;
  if (std::filesystem::equivalent(file, connection.file(), ignored))
    throw StoreError(StoreError::Cause::other,
                     fmt::format("cannot merge the store {} with itself; name another store", file.string()));
  // Opened on its own first: this checks the schema, says clearly what is wrong, and finds out how it can be read.
  const auto reader = open_connection(file, OpenMode::read_only, std::chrono::system_clock::now);
  const std::string uri = file_uri(file, reader->notice().empty() ? "mode=ro" : "immutable=1");
  const std::string attempted = "merge " + file.string();
  return connection.attempt(attempted, [&] {
    const Attached attached(connection, uri);
    return connection.transact(
        attempted, [&] { return merge_attached(connection, file.string()); }, effect);
  });
}

// The sessions become a store of their own for the time of the merge, so that one way of merging is all there is.
MergeReport merge_dumps(Connection& connection, std::span<const SessionDump> sessions, const std::string& source,
                        Effect effect) {
  const std::string attempted = "merge " + source;
  return connection.attempt(attempted, [&] {
    const Attached attached(connection, "");  // a private, temporary database
    const auto work = [&] {
      fill_attached(connection, sessions, source);
      return merge_attached(connection, source);
    };
    return connection.transact(attempted, work, effect);
  });
}

}  // namespace warptune::db
