// Reads the version of a store on a server, and runs migrations as the role that owns it.
#include "db/postgres_schema.h"

#include <fmt/format.h>

#include "db/postgres_engine.h"

namespace warptune::db {

namespace {

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

}  // namespace

int newest_postgres_version() {
  return number_of(postgres_migrations().back());
}

int postgres_version_of(Connection& connection) {
  if (!has_versions(connection)) return 0;
  Query version = connection.query("SELECT version FROM schema_version");
  return version.step() ? static_cast<int>(version.integer()) : 0;
}

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

}  // namespace warptune::db
