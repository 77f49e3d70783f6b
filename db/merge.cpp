#include "db/merge.h"

#include <fmt/format.h>

#include "db/open.h"

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

void merge_stores(Connection& connection, const std::filesystem::path& other) {
  SQLite::Statement insert(connection.database(),
                           "INSERT INTO main.stores (uuid, file, merged_at)"
                           " SELECT uuid, iif(id = 1, ?1, file), ?2 FROM other.stores WHERE true"
                           " ON CONFLICT DO UPDATE SET merged_at = ?2, file = excluded.file WHERE id <> 1");
  insert.bind(1, other.string());
  insert.bind(2, connection.now());
  insert.exec();
}

// Rows of the two stores correspond by their content, never by their numbers.
std::int64_t merge_sessions(Connection& connection) {
  change(
      connection,
      "INSERT INTO main.devices (backend, name, uuid, architecture, driver, limits)"
      " SELECT backend, name, uuid, architecture, driver, limits FROM other.devices WHERE true ON CONFLICT DO NOTHING");
  change(connection,
         "INSERT INTO main.kernels (name, source_hash, manifest_hash)"
         " SELECT name, source_hash, manifest_hash FROM other.kernels WHERE true ON CONFLICT DO NOTHING");
  change(
      connection,
      "CREATE TEMP TABLE merged_sessions AS SELECT o.*, k.id AS kernel, d.id AS device, st.id AS store"
      " FROM other.sessions o JOIN other.kernels ok ON ok.id = o.kernel_id JOIN other.devices od ON od.id = o.device_id"
      " JOIN other.stores os ON os.id = o.store_id JOIN main.stores st ON st.uuid = os.uuid"
      " JOIN main.kernels k ON (k.name, k.source_hash, k.manifest_hash) = (ok.name, ok.source_hash, ok.manifest_hash)"
      " JOIN main.devices d ON (d.backend, d.name, d.uuid, d.architecture, d.driver)"
      " = (od.backend, od.name, od.uuid, od.architecture, od.driver)");
  // What ran elsewhere when that store was copied does not run here.
  const auto added =
      change(connection,
             "INSERT INTO main.sessions (kernel_id, device_id, problem_size, compiler, options, policy,"
             " strategy, seed, objective, space_size, state, tool_version, started_at, updated_at, store_id)"
             " SELECT kernel, device, problem_size, compiler, options, policy, strategy, seed, objective,"
             " space_size, iif(state = 'running', 'interrupted', state), tool_version, started_at,"
             " updated_at, store FROM temp.merged_sessions WHERE true ORDER BY id ON CONFLICT DO NOTHING");
  change(connection,
         "CREATE TEMP TABLE merged_ids AS SELECT m.id AS theirs, s.id AS ours FROM temp.merged_sessions m"
         " JOIN main.sessions s ON (s.kernel_id, s.device_id, s.problem_size, s.compiler, s.options, s.policy)"
         " = (m.kernel, m.device, m.problem_size, m.compiler, m.options, m.policy)");
  return added;
}

std::int64_t merge_trials(Connection& connection) {
  return change(
      connection,
      "INSERT INTO main.trials (session_id, configuration, outcome, objectives, median_ms, relative_error, cut_short,"
      " samples_ms, metrics, compile_ms, verify_ms, measure_ms, framework_ms, registers_per_thread,"
      " local_bytes_per_thread, static_shared_bytes, dynamic_shared_bytes, threads_per_block, occupancy, message,"
      " recorded_at, joules, clock_mhz, power_w, temperature_c, discarded_samples, store_id)"
      " SELECT i.ours, t.configuration, t.outcome, t.objectives, t.median_ms, t.relative_error, t.cut_short, "
      "t.samples_ms,"
      " t.metrics, t.compile_ms, t.verify_ms, t.measure_ms, t.framework_ms, t.registers_per_thread,"
      " t.local_bytes_per_thread, t.static_shared_bytes, t.dynamic_shared_bytes, t.threads_per_block, t.occupancy,"
      " t.message, t.recorded_at, t.joules, t.clock_mhz, t.power_w, t.temperature_c, t.discarded_samples, st.id FROM "
      "other.trials t JOIN temp.merged_ids i ON i.theirs = t.session_id"
      " JOIN other.stores os ON os.id = t.store_id JOIN main.stores st ON st.uuid = os.uuid WHERE true ORDER BY t.id"
      " ON CONFLICT (session_id, configuration) DO UPDATE SET outcome = excluded.outcome,"
      " objectives = excluded.objectives, median_ms = excluded.median_ms, relative_error = excluded.relative_error,"
      " cut_short = excluded.cut_short, samples_ms = excluded.samples_ms, metrics = excluded.metrics,"
      " compile_ms = excluded.compile_ms, verify_ms = excluded.verify_ms, measure_ms = excluded.measure_ms,"
      " framework_ms = excluded.framework_ms, registers_per_thread = excluded.registers_per_thread,"
      " local_bytes_per_thread = excluded.local_bytes_per_thread, static_shared_bytes = excluded.static_shared_bytes,"
      " dynamic_shared_bytes = excluded.dynamic_shared_bytes, threads_per_block = excluded.threads_per_block,"
      " occupancy = excluded.occupancy, message = excluded.message, recorded_at = excluded.recorded_at,"
      " joules = excluded.joules, clock_mhz = excluded.clock_mhz, power_w = excluded.power_w,"
      " temperature_c = excluded.temperature_c, discarded_samples = excluded.discarded_samples,"
      " store_id = excluded.store_id WHERE excluded.recorded_at > trials.recorded_at");
}

// The later decision stays. Ties follow their winner.
std::int64_t merge_winners(Connection& connection) {
  change(connection,
         "CREATE TEMP TABLE merged_trials AS SELECT t.id AS theirs, m.id AS ours FROM other.trials t"
         " JOIN temp.merged_ids i ON i.theirs = t.session_id"
         " JOIN main.trials m ON m.session_id = i.ours AND m.configuration = t.configuration"
         " WHERE t.id IN (SELECT trial_id FROM other.winners UNION SELECT trial_id FROM other.winner_ties"
         " UNION SELECT trial_id FROM other.winner_finalists)");
  const auto changed = change(
      connection,
      "INSERT INTO main.winners SELECT i.ours, t.ours, w.objective, w.relative_error, w.default_objective, w.decided_at"
      " FROM other.winners w JOIN temp.merged_ids i ON i.theirs = w.session_id"
      " JOIN temp.merged_trials t ON t.theirs = w.trial_id WHERE true"
      " ON CONFLICT DO UPDATE SET trial_id = excluded.trial_id, objective = excluded.objective,"
      " relative_error = excluded.relative_error, default_objective = excluded.default_objective,"
      " decided_at = excluded.decided_at WHERE excluded.decided_at > winners.decided_at");
  change(connection,
         "CREATE TEMP TABLE taken_winners AS SELECT i.ours, i.theirs FROM temp.merged_ids i"
         " JOIN main.winners m ON m.session_id = i.ours JOIN other.winners o ON o.session_id = i.theirs"
         " AND o.decided_at = m.decided_at");
  change(connection, "DELETE FROM main.winner_ties WHERE session_id IN (SELECT ours FROM temp.taken_winners)");
  change(connection,
         "INSERT INTO main.winner_ties SELECT w.ours, o.position, t.ours FROM temp.taken_winners w"
         " JOIN other.winner_ties o ON o.session_id = w.theirs JOIN temp.merged_trials t ON t.theirs = o.trial_id");
  change(connection, "DELETE FROM main.winner_finalists WHERE session_id IN (SELECT ours FROM temp.taken_winners)");
  change(
      connection,
      "INSERT INTO main.winner_finalists SELECT w.ours, o.position, t.ours, o.objective, o.relative_error, o.visits,"
      " o.slower_by, o.slower_low, o.slower_high FROM temp.taken_winners w"
      " JOIN other.winner_finalists o ON o.session_id = w.theirs JOIN temp.merged_trials t ON t.theirs = o.trial_id");
  return changed;
}

void drop_scratch(Connection& connection) {
  for (const char* table : {"merged_sessions", "merged_ids", "merged_trials", "taken_winners"})
    connection.database().exec(std::string("DROP TABLE temp.") + table);
}

}  // namespace

MergeReport merge_store(Connection& connection, const std::filesystem::path& other) {
  const std::filesystem::path file = std::filesystem::absolute(other);
  std::error_code ignored;
  if (std::filesystem::equivalent(file, connection.file(), ignored))
    throw StoreError(StoreError::Kind::other,
                     fmt::format("cannot merge the store {} with itself; name another store", file.string()));
  // Opened on its own first: this checks the schema, says clearly what is wrong, and finds out how it can be read.
  const auto reader = open_connection(file, OpenMode::read_only, std::chrono::system_clock::now);
  const std::string uri = file_uri(file, reader->notice().empty() ? "mode=ro" : "immutable=1");
  return connection.attempt("merge " + file.string(), [&] {
    const Attached attached(connection, uri);
    return connection.transact("merge " + file.string(), [&] {
      const char* all_trials = "SELECT count(*) FROM main.trials";
      MergeReport report;
      const std::int64_t before = count(connection, all_trials);
      merge_stores(connection, file);
      report.sessions_added = merge_sessions(connection);
      const std::int64_t changed = merge_trials(connection);
      report.trials_added = count(connection, all_trials) - before;
      report.trials_replaced = changed - report.trials_added;
      report.winners_changed = merge_winners(connection);
      drop_scratch(connection);
      return report;
    });
  });
}

}  // namespace warptune::db
