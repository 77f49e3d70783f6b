// Opens stores on a server: it checks the schema's version and the user's rights, and migrates an older schema as the
// role that owns it. The table `schema_version` has one row, the number of the newest migration that ran.

#include <fmt/format.h>

#include "db/postgresql/postgres_engine.h"
#include "db/schema/migrations.h"
#include "db/schema/open.h"
#include "db/store_address.h"

namespace warptune::db {

namespace {

using Cause = StoreError::Cause;

// Returns the number of a migration: 12 for "012_baseline.sql".
int number_of(const Migration& migration) {
  return std::stoi(migration.name);
}

bool yes(Connection& connection, const std::string& condition) {
  Query query = connection.query(fmt::format("SELECT CASE WHEN {} THEN 1 ELSE 0 END", condition));
  query.step();
  return query.integer() != 0;
}

bool has_schema(Connection& connection) {
  return yes(connection, fmt::format("EXISTS (SELECT FROM pg_namespace WHERE nspname = '{}')", postgres_schema));
}

bool has_versions(Connection& connection) {
  return has_schema(connection) && yes(connection, "to_regclass('schema_version') IS NOT NULL");
}

// Refuses a user who has no role in the store. Without one, nothing of the schema is seen, not even that it is a store.
void refuse_stranger(Connection& connection) {
  if (!has_schema(connection) || yes(connection, fmt::format("has_schema_privilege('{}', 'USAGE')", postgres_schema)))
    return;
  throw StoreError(StoreError::Cause::read_only,
                   fmt::format("cannot open the store {}: this user has no role in it; let its owner run "
                               "`warptune grant reader NAME`, or tuner in place of reader",
                               connection.file().string()));
}

// Makes the schema, or takes the role that made it. What a later owner makes then belongs to that role, so that all
// owners can go on with it.
void become_owner(Connection& connection) {
  if (!has_schema(connection)) {
    connection.execute(fmt::format("CREATE SCHEMA {}", postgres_schema));
    return;
  }
  Query owner = connection.query(fmt::format(
      "SELECT quote_ident(pg_get_userbyid(nspowner)) FROM pg_namespace WHERE nspname = '{}'", postgres_schema));
  owner.step();
  connection.execute("SET LOCAL ROLE " + owner.text());
}

// Returns the newest version that this program knows. From 013 on it may be higher than a file's.
int newest_postgres_version() {
  return number_of(postgres_migrations().back());
}

// Returns the version that is there, which is the number of the newest migration that ran; 0 where there is no store.
int postgres_version_of(Connection& connection) {
  if (!has_versions(connection)) return 0;
  Query version = connection.query("SELECT version FROM schema_version");
  return version.step() ? static_cast<int>(version.integer()) : 0;
}

// Throws StoreError if this user has no role in the store.
SchemaState postgres_schema_state(Connection& connection) {
  return connection.look("read the schema", [&] {
    refuse_stranger(connection);
    const int version = postgres_version_of(connection);
    if (version == 0) {
      const bool others = yes(connection, fmt::format("EXISTS (SELECT FROM pg_class WHERE relnamespace ="
                                                      " (SELECT oid FROM pg_namespace WHERE nspname = '{}'))",
                                                      postgres_schema));
      return others ? SchemaState::foreign : SchemaState::empty;
    }
    if (version > newest_postgres_version()) return SchemaState::newer;
    return version < newest_postgres_version() ? SchemaState::older : SchemaState::current;
  });
}

// Makes the schema, or brings an older one up to date, in one transaction.
void migrate_postgres(Connection& connection) {
  const auto work = [&] {
    become_owner(connection);
    // The version is read inside the transaction, since another process may have migrated after this one looked.
    const int done = postgres_version_of(connection);
    if (done == 0) connection.execute("CREATE TABLE schema_version (version BIGINT NOT NULL)");
    if (done == 0) connection.execute("INSERT INTO schema_version VALUES (0)");
    for (const Migration& migration : postgres_migrations())
      if (number_of(migration) > done) connection.execute(migration.sql);
    connection.execute(fmt::format("UPDATE schema_version SET version = {}", newest_postgres_version()));
    return true;
  };
  connection.transact("bring the schema up to date", work, Effect::apply, Isolation::alone);
}

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
