#include "db/gc.h"

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
  drop.bind(idle_since).run();
  const auto dropped = connection.database().getChanges();
  connection.query("DELETE FROM devices WHERE id NOT IN (SELECT device_id FROM sessions)").run();
  connection.query("DELETE FROM kernels WHERE id NOT IN (SELECT kernel_id FROM sessions)").run();
  return dropped;
}

// Of pages that nothing uses; a vacuum gives back at least these.
std::int64_t free_bytes(Connection& connection) {
  return connection.database().execAndGet("PRAGMA freelist_count").getInt64() *
         connection.database().execAndGet("PRAGMA page_size").getInt64();
}

}  // namespace

GcReport collect_garbage(Connection& connection, const std::string& idle_since, Effect effect) {
  const std::int64_t before = size_on_disk(connection);
  GcReport report = connection.transact(
      "drop empty sessions",
      [&] {
        const std::int64_t removed = drop_empty_sessions(connection, idle_since);
        return GcReport{removed, free_bytes(connection)};
      },
      effect);
  if (effect == Effect::preview) return report;
  // VACUUM writes the whole file through the write-ahead log, which is emptied afterwards.
  connection.attempt("give space back", [&] { connection.database().exec("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)"); });
  report.bytes_freed = before - size_on_disk(connection);
  return report;
}

}  // namespace warptune::db
