// Merges stores in SQL. The other store's tables are views `other_…` on an attached file, or temporary copies
// `other_…`.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "db/schema/open.h"
#include "db/store_address.h"
#include "db/tables/json.h"
#include "db/tables/roofs.h"
#include "db/tables/trials.h"
#include "db/upkeep/dump.h"
#include "db/upkeep/merge_winners.h"
#include "db/upkeep/upkeep.h"

namespace warptune::db {

namespace {

// An Attached attaches the other store's file, whose tables are `other_…` while it lives. SQLite reads the file itself,
// row by row.
class Attached {
 public:
  Attached(Connection& connection, const std::string& uri) : connection_(connection) {
    connection_.query("ATTACH ? AS other").bind(uri).run();
    for (const char* table : merged_tables)
      connection_.execute(fmt::format("CREATE TEMP VIEW other_{0} AS SELECT * FROM other.{0}", table));
  }
  Attached(const Attached&) = delete;
  Attached& operator=(const Attached&) = delete;
  ~Attached() {
    for (const char* table : merged_tables) try_to(fmt::format("DROP VIEW IF EXISTS other_{}", table));
    try_to("DETACH other");
  }

 private:
  void try_to(const std::string& sql) {
    try {
      connection_.execute(sql);
    } catch (...) {  // what failed before is what its user is told
    }
  }

  Connection& connection_;
};

// Executes one statement and says how many rows it changed.
std::int64_t change(Connection& connection, const char* sql) {
  return connection.execute(sql);
}

std::int64_t count(Connection& connection, const char* sql) {
  Query query = connection.query(sql);
  query.step();
  return query.integer();
}

void merge_stores(Connection& connection, const std::string& source) {
  Query insert = connection.query(
      "INSERT INTO stores (uuid, file, merged_at)"
      " SELECT uuid, CASE WHEN id = 1 THEN CAST(? AS TEXT) ELSE file END, CAST(? AS TEXT) FROM other_stores WHERE true"
      " ON CONFLICT (uuid) DO UPDATE SET merged_at = excluded.merged_at, file = excluded.file WHERE stores.id <> 1");
  insert.bind(source).bind(connection.now()).run();
}

// Rows of the two stores correspond by their content, never by their numbers.
std::int64_t merge_sessions(Connection& connection) {
  change(
      connection,
      "INSERT INTO devices (backend, name, architecture, driver, memory_gib, multiprocessors, limits)"
      " SELECT backend, name, architecture, driver, memory_gib, multiprocessors, limits FROM other_devices WHERE true"
      " ON CONFLICT DO NOTHING");
  change(connection,
         "INSERT INTO kernels (name, source_hash, manifest_hash)"
         " SELECT name, source_hash, manifest_hash FROM other_kernels WHERE true ON CONFLICT DO NOTHING");
  change(
      connection,
      "CREATE TEMP TABLE merged_sessions AS SELECT o.*, k.id AS kernel, d.id AS device, st.id AS store"
      " FROM other_sessions o JOIN other_kernels ok ON ok.id = o.kernel_id JOIN other_devices od ON od.id = o.device_id"
      " JOIN other_stores os ON os.id = o.store_id JOIN stores st ON st.uuid = os.uuid"
      " JOIN kernels k ON (k.name, k.source_hash, k.manifest_hash) = (ok.name, ok.source_hash, ok.manifest_hash)"
      " JOIN devices d ON (d.backend, d.name, d.architecture, d.driver, d.memory_gib, d.multiprocessors)"
      " = (od.backend, od.name, od.architecture, od.driver, od.memory_gib, od.multiprocessors)");
  // A session that ran elsewhere when that store was copied does not run here, so it becomes interrupted.
  const auto added = change(
      connection,
      "INSERT INTO sessions (kernel_id, device_id, problem_size, compiler, options, policy, capture, restrictions,"
      " strategy, seed, objective, space_size, state, tool_version, started_at, updated_at, store_id,"
      " origin, manifest, capture_file, problem_names, name, note, labelled_at, expected, maximised)"
      " SELECT kernel, device, problem_size, compiler, options, policy, capture, restrictions, strategy, seed, "
      "objective,"
      " space_size, CASE state WHEN 'running' THEN 'interrupted' ELSE state END, tool_version, started_at, updated_at, "
      "store, origin,"
      " manifest, capture_file, problem_names, name, note, labelled_at, expected, maximised"
      " FROM merged_sessions WHERE true ORDER BY id ON CONFLICT DO NOTHING");
  change(connection,
         "CREATE TEMP TABLE merged_ids AS SELECT m.id AS theirs, s.id AS ours FROM merged_sessions m"
         " JOIN sessions s ON (s.kernel_id, s.device_id, s.problem_size, s.compiler, s.options, s.policy, s.capture,"
         " s.restrictions) = (m.kernel, m.device, m.problem_size, m.compiler, m.options, m.policy, m.capture,"
         " m.restrictions)");
  return added;
}

// Takes over which objectives are maximised. A session that an older version made may not know it.
void merge_directions(Connection& connection) {
  change(connection,
         "UPDATE sessions SET maximised = m.maximised FROM merged_ids i JOIN merged_sessions m ON m.id = i.theirs"
         " WHERE i.ours = sessions.id AND sessions.maximised = ''");
}

// Takes over names and notes that were set later than ours.
void merge_labels(Connection& connection) {
  change(connection,
         "UPDATE sessions SET name = m.name, note = m.note, labelled_at = m.labelled_at"
         " FROM merged_ids i JOIN merged_sessions m ON m.id = i.theirs"
         " WHERE i.ours = sessions.id AND m.labelled_at > sessions.labelled_at");
}

std::int64_t merge_trials(Connection& connection) {
  const std::string sql = "INSERT INTO trials (session_id, configuration, store_id, " + recorded_trial_columns() +
                          ") SELECT i.ours, t.configuration, st.id, " + recorded_trial_columns("t.") +
                          " FROM other_trials t JOIN merged_ids i ON i.theirs = t.session_id"
                          " JOIN other_stores os ON os.id = t.store_id JOIN stores st ON st.uuid = os.uuid"
                          " WHERE true ORDER BY t.id ON CONFLICT (session_id, configuration) DO UPDATE SET " +
                          trial_replacement() + ", store_id = excluded.store_id WHERE " + trial_is_replaced();
  return change(connection, sql.c_str());
}

// Takes over what was counted of a trial after it was recorded. Counting left the trial's date as it was, so
// merge_trials() does not replace the trial.
void merge_counters(Connection& connection) {
  change(connection,
         "UPDATE trials SET counters = t.counters, metrics = t.metrics FROM other_trials t"
         " JOIN merged_ids i ON i.theirs = t.session_id WHERE t.counters IS NOT NULL"
         " AND trials.session_id = i.ours AND trials.configuration = t.configuration"
         " AND trials.recorded_at = t.recorded_at AND trials.counters IS NULL");
}

// Adds the other store's checks. Nothing replaces a check; two checks of a trial at the same time are the same one.
std::int64_t merge_checks(Connection& connection) {
  return change(connection,
                "INSERT INTO checks (trial_id, checked_at, outcome, objective, relative_error, recorded_objective,"
                " differs, message) SELECT t.ours, c.checked_at, c.outcome, c.objective, c.relative_error,"
                " c.recorded_objective, c.differs, c.message FROM other_checks c"
                " JOIN merged_trials t ON t.theirs = c.trial_id WHERE true ON CONFLICT DO NOTHING");
}

void drop_scratch(Connection& connection) {
  for (const char* table : {"merged_sessions", "merged_ids", "merged_trials", "taken_winners"})
    connection.execute(std::string("DROP TABLE ") + table);
}

// Merges what the tables `other_…` hold, in the caller's transaction.
MergeReport merge_others(Connection& connection, const std::string& source) {
  const char* all_trials = "SELECT count(*) FROM trials";
  MergeReport report;
  const std::int64_t before = count(connection, all_trials);
  merge_stores(connection, source);
  report.sessions_added = merge_sessions(connection);
  merge_directions(connection);
  merge_labels(connection);
  choose_winners(connection);
  const std::int64_t changed = merge_trials(connection);
  merge_counters(connection);
  report.trials_added = count(connection, all_trials) - before;
  report.trials_replaced = changed - report.trials_added;
  report.winners_changed = merge_winners(connection);
  withdraw_wrong_winners(connection);
  report.checks_added = merge_checks(connection);
  merge_roofs(connection);
  drop_scratch(connection);
  return report;
}

void refuse_itself(bool itself, const std::filesystem::path& name) {
  if (!itself) return;
  throw StoreError(StoreError::Cause::other,
                   fmt::format("cannot merge the store {} with itself; name another store", name.string()));
}

// Throws StoreError if the other file is damaged. Both files are open in one connection, and SQLite does not say which
// of them is damaged.
void refuse_damaged(Connection& reader) {
  std::string verdict = reader.attempt("read all of it", [&] {
    Query check = reader.query("PRAGMA quick_check(1)");
    return check.step() ? check.text() : "ok";
  });
  if (verdict == "ok") return;
  std::ranges::replace(verdict, '\n', ' ');
  throw StoreError(StoreError::Cause::corrupt,
                   fmt::format("cannot merge the store {}: it is damaged ({}), and nothing of it was taken over; what "
                               "is readable of it comes out with: sqlite3 '{}' .recover | sqlite3 recovered.db",
                               reader.file().string(), verdict, reader.file().string()));
}

// Merges a file into a file, by attaching it.
MergeReport merge_file(Connection& connection, const std::filesystem::path& other, Effect effect) {
  const std::filesystem::path file = std::filesystem::absolute(other);
  std::error_code ignored;
  refuse_itself(std::filesystem::equivalent(file, connection.file(), ignored), file);
  // The other file is opened on its own first. This checks the schema, says clearly what is wrong, and finds out how
  // the file can be read.
  const auto reader = open_connection(file, OpenMode::read_only, std::chrono::system_clock::now);
  const std::string uri = file_uri(file, reader->notice().empty() ? "mode=ro" : "immutable=1");
  const std::string attempted = "merge " + file.string();
  try {
    return connection.attempt(attempted, [&] {
      const Attached attached(connection, uri);
      return connection.transact(
          attempted, [&] { return merge_others(connection, file.string()); }, effect, Isolation::alone);
    });
  } catch (const StoreError& error) {
    if (error.cause() == StoreError::Cause::corrupt) refuse_damaged(*reader);
    throw;
  }
}

// Merges what `fill` copies into temporary tables first, since no engine reads it where it is.
template <class Fill>
MergeReport merge_copy(Connection& connection, const std::string& source, Effect effect, const Fill& fill) {
  const auto work = [&] {
    fill();
    const MergeReport report = merge_others(connection, source);
    drop_filled(connection);
    return report;
  };
  return connection.transact("merge " + source, work, effect, Isolation::alone);
}

std::string text_of(const SessionKey& key) {
  const DeviceRecord& device = key.device;
  const std::initializer_list<std::string> parts = {key.kernel,
                                                    key.source_hash,
                                                    key.manifest_hash,
                                                    device.backend,
                                                    device.name,
                                                    device.architecture,
                                                    device.driver,
                                                    std::to_string(device.memory_gib),
                                                    std::to_string(device.multiprocessors),
                                                    key.compiler,
                                                    key.options,
                                                    to_sorted_json(key.problem()),
                                                    key.policy,
                                                    key.capture,
                                                    to_json(key.restrictions)};
  return fmt::format("{}", fmt::join(parts, std::string_view("\0", 1)));
}

// Returns how many of the first sessions have keys that differ. Within one merge, only one row may correspond to a row
// of ours.
std::size_t distinct_from(std::span<const SessionDump> sessions) {
  std::set<std::string> keys;
  for (const SessionDump& dump : sessions)
    if (!keys.insert(text_of(dump.session.key)).second) break;
  return keys.size();
}

void add(const MergeReport& part, MergeReport& whole) {
  whole.sessions_added += part.sessions_added;
  whole.trials_added += part.trials_added;
  whole.trials_replaced += part.trials_replaced;
  whole.winners_changed += part.winners_changed;
  whole.checks_added += part.checks_added;
}

}  // namespace

MergeReport merge_store(Connection& connection, const std::filesystem::path& other, Effect effect) {
  if (connection.engine().attaches_files() && !is_address(other)) return merge_file(connection, other, effect);
  const auto reader = open_connection(other, OpenMode::read_only, std::chrono::system_clock::now);
  refuse_itself(reader->file() == connection.file(), reader->file());
  const std::string source = reader->file().string();
  return merge_copy(connection, source, effect, [&] { fill_from_store(connection, *reader, source); });
}

MergeReport merge_dumps(Connection& connection, std::span<const SessionDump> sessions, const std::string& source,
                        Effect effect) {
  MergeReport report;
  for (std::size_t begin = 0; begin < sessions.size();) {
    const std::size_t count = distinct_from(sessions.subspan(begin));
    const auto part = sessions.subspan(begin, count);
    add(merge_copy(connection, source, effect, [&] { fill_from_dumps(connection, part, source); }), report);
    begin += count;
  }
  return report;
}

}  // namespace warptune::db
