// Deletes the rows that nothing refers to, and vacuums SQLite files.
#include "db/store_address.h"
#include "db/upkeep/upkeep.h"

namespace warptune::db {

namespace {

std::int64_t size_on_disk(const Connection& connection) {
  std::error_code missing;
  std::int64_t bytes = 0;
  for (const char* suffix : {"", "-wal"}) {
    const auto size = std::filesystem::file_size(connection.file().string() + suffix, missing);
    if (!missing) bytes += static_cast<std::int64_t>(size);
  }
  return bytes;
}

std::int64_t drop_empty_sessions(Connection& connection, const std::string& idle_since) {
  Query drop = connection.query(
      "DELETE FROM sessions WHERE (state <> 'running' OR updated_at < ?)"
      " AND NOT EXISTS (SELECT 1 FROM trials WHERE session_id = sessions.id)");
  const std::int64_t dropped = drop.bind(idle_since).run();
  connection.query("DELETE FROM devices WHERE id NOT IN (SELECT device_id FROM sessions)").run();
  connection.query("DELETE FROM kernels WHERE id NOT IN (SELECT kernel_id FROM sessions)").run();
  return dropped;
}

std::int64_t number(Connection& connection, const char* sql) {
  Query query = connection.query(sql);
  query.step();
  return query.integer();
}

// Drops the templates that were submitted with work, once all of this work has ended. They are not dropped as soon as
// it ends, since the next submission of the same template, an hour later, would have to send them again. Nobody submits
// meanwhile, since no other transaction writes beside this one (Isolation::alone).
void drop_templates(Connection& connection, GcReport& report) {
  report.templates_removed = number(
      connection,
      "WITH gone AS (DELETE FROM work_files WHERE NOT EXISTS (SELECT 1 FROM work WHERE work.bundle = work_files.bundle"
      " AND work.state IN ('queued', 'running')) RETURNING bundle) SELECT count(DISTINCT bundle) FROM gone");
  report.bytes_freed += number(
      connection,
      "WITH gone AS (DELETE FROM work_contents WHERE NOT EXISTS (SELECT 1 FROM work_files WHERE work_files.hash ="
      " work_contents.hash) RETURNING octet_length(content) AS bytes) SELECT CAST(coalesce(sum(bytes), 0) AS BIGINT)"
      " FROM gone");
}

// Returns the bytes of the pages that nothing uses. A vacuum gives back at least these.
std::int64_t free_bytes(Connection& connection) {
  if (is_address(connection.file())) return 0;  // PostgreSQL keeps them for later rows
  return number(connection, "PRAGMA freelist_count") * number(connection, "PRAGMA page_size");
}

}  // namespace

GcReport collect_garbage(Connection& connection, const std::string& idle_since, Effect effect) {
  const std::int64_t before = size_on_disk(connection);
  GcReport report = connection.transact(
      "drop empty sessions",
      [&] {
        GcReport dropped;
        dropped.sessions_removed = drop_empty_sessions(connection, idle_since);
        dropped.bytes_freed = free_bytes(connection);
        if (is_address(connection.file())) drop_templates(connection, dropped);
        return dropped;
      },
      effect, Isolation::alone);
  // A server's own vacuum gives space back, without anyone having to wait for it.
  if (effect == Effect::preview || is_address(connection.file())) return report;
  // VACUUM writes the whole file through the write-ahead log, which is emptied afterwards.
  connection.attempt("give space back", [&] { connection.execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)"); });
  report.bytes_freed = before - size_on_disk(connection);
  return report;
}

}  // namespace warptune::db
