// Opens stores on a server: it checks the schema's version and the user's rights, and migrates an older schema.
#include <fmt/format.h>

#include "db/postgres.h"
#include "db/postgres_engine.h"
#include "db/postgres_schema.h"
#include "db/store_address.h"

namespace warptune::db {

namespace {

using Cause = StoreError::Cause;

std::unique_ptr<Connection> connect(const std::string& address, OpenMode mode, Clock clock) {
  const std::filesystem::path name = shown_name(address);
  return std::make_unique<Connection>(std::make_unique<PostgresEngine>(address, name, mode), name, std::move(clock),
                                      "");
}

void refuse_unknown(SchemaState state, const Connection& connection) {
  if (state == SchemaState::newer)
    throw StoreError(Cause::newer_schema,
                     fmt::format("cannot open the store {}: its schema is newer than this program knows (version {}); "
                                 "update warptune, or name another store",
                                 connection.file().string(), newest_postgres_version()));
  if (state == SchemaState::foreign)
    throw StoreError(Cause::other,
                     fmt::format("cannot open the store {}: its schema {} holds tables of another program; "
                                 "name another database",
                                 connection.file().string(), postgres_schema));
}

void refuse_unreadable(SchemaState state, const Connection& connection) {
  if (state == SchemaState::empty)
    throw StoreError(
        Cause::cannot_open,
        fmt::format("cannot read the store {}: there is none in this database yet; tune a kernel first, or "
                    "name another store",
                    connection.file().string()));
  if (state == SchemaState::older)
    throw StoreError(Cause::read_only, fmt::format("cannot read the store {}: its schema is of an older version; "
                                                   "`warptune gc` as its owner brings it up to date",
                                                   connection.file().string()));
}

// Refuses a user who may only read the store. Otherwise a session would be measured whose first trial could not be
// kept.
void refuse_reader(Connection& connection) {
  const bool may = connection.attempt("look whether it may be written", [&] {
    Query query = connection.query(
        "SELECT CASE WHEN has_table_privilege('trials', 'INSERT') AND NOT pg_is_in_recovery() THEN 1 ELSE 0 END");
    query.step();
    return query.integer() != 0;
  });
  if (may) return;
  throw StoreError(Cause::read_only,
                   fmt::format("cannot open the store {} for writing: this user may only read it; let its owner run "
                               "`warptune grant tuner NAME`, or name another store",
                               connection.file().string()));
}

}  // namespace

std::unique_ptr<Connection> open_postgres(const std::string& address, OpenMode mode, Clock clock) {
  auto connection = connect(address, mode, std::move(clock));
  const SchemaState state = postgres_schema_state(*connection);
  refuse_unknown(state, *connection);
  if (mode == OpenMode::read_only) {
    refuse_unreadable(state, *connection);
    return connection;
  }
  if (state != SchemaState::current) migrate_postgres(*connection);
  refuse_reader(*connection);
  return connection;
}

StoreHealth examine_postgres(const std::string& address) {
  const auto connection = connect(address, OpenMode::read_write, std::chrono::system_clock::now);
  const SchemaState state = postgres_schema_state(*connection);
  refuse_unknown(state, *connection);
  StoreHealth health;
  health.newest_schema = newest_postgres_version();
  if (state == SchemaState::empty) return health;
  refuse_reader(*connection);
  connection->look("look over it", [&] {
    health.schema = postgres_version_of(*connection);
    Query counts = connection->query(
        "SELECT (SELECT count(*) FROM sessions), (SELECT coalesce(sum(pg_total_relation_size(oid)), 0) FROM pg_class"
        " WHERE relkind = 'r' AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()))");
    counts.step();
    health.sessions = counts.integer();
    health.bytes = static_cast<std::uint64_t>(counts.integer());
    return true;
  });
  // The server checks its pages itself, where they were made with checksums.
  health.checked = true;
  return health;
}

}  // namespace warptune::db
