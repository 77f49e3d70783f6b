// Examines a store's file: it reads the schema, takes the write lock, and checks the pages of files up to 256 MiB.
#include "db/health.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include "db/schema/migrations.h"
#include "db/schema/open.h"
#include "db/store_address.h"

namespace warptune::db {

namespace {

constexpr int patience_ms = 1000;
constexpr std::uint64_t most_bytes_read = std::uint64_t{256} << 20;

int schema_version(Connection& connection) {
  Query query = connection.query("PRAGMA user_version");
  query.step();
  return static_cast<int>(query.integer());
}

// BEGIN IMMEDIATE is the first thing that a read-only file, a full folder or another's lock refuses.
void require_writable(Connection& connection) {
  connection.transact(
      "write to it", [] { return true; }, Effect::preview);
}

void require_sound(Connection& connection) {
  const std::string verdict = connection.attempt("read all of it", [&] {
    Query check = connection.query("PRAGMA quick_check(1)");
    return check.step() ? check.text() : "ok";
  });
  if (verdict == "ok") return;
  throw StoreError(
      StoreError::Cause::corrupt,
      fmt::format("the store {} is damaged ({}); move it away to start a new one; what is readable of it comes "
                  "out with: sqlite3 '{}' .recover | sqlite3 recovered.db",
                  connection.file().string(), verdict, connection.file().string()));
}

}  // namespace

std::string engine_version() {
  return fmt::format("SQLite {}, {}", sqlite3_libversion(), postgres_version());
}

StoreHealth examine_store(const std::filesystem::path& file) {
  if (is_address(file)) return examine_postgres(file.string());
  const std::unique_ptr<Connection> connection = open_untouched(file, patience_ms);
  StoreHealth health;
  health.newest_schema = static_cast<int>(migrations().size());
  std::error_code ignored;
  health.bytes = std::filesystem::file_size(connection->file(), ignored);
  health.schema = connection->attempt("read the schema", [&] { return schema_version(*connection); });
  require_writable(*connection);
  health.checked = health.bytes <= most_bytes_read;
  if (health.checked) require_sound(*connection);
  if (health.schema > 0)
    health.sessions = connection->attempt("count the sessions", [&] {
      Query count = connection->query("SELECT count(*) FROM sessions");
      return count.step() ? count.integer() : 0;
    });
  return health;
}

}  // namespace warptune::db
