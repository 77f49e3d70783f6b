#include <fmt/format.h>

#include "db/postgres.h"
#include "db/postgres_engine.h"
#include "db/roles.h"

namespace warptune::db {

namespace {

std::string text_of(Connection& connection, const std::string& sql, const std::string& parameter) {
  Query query = connection.query(sql);
  query.bind(parameter);
  return query.step() ? query.text() : "";
}

// `to` as SQL names it. Throws if the server has no such role.
std::string quoted_role(Connection& connection, const std::string& to) {
  const std::string name = text_of(connection, "SELECT quote_ident(rolname) FROM pg_roles WHERE rolname = ?", to);
  if (!name.empty()) return name;
  throw StoreError(StoreError::Cause::other,
                   fmt::format("cannot grant a role in the store {}: the server has no user or group '{}'; make it "
                               "first, as with: createuser {}",
                               connection.file().string(), to, to));
}

std::string store_owner(Connection& connection) {
  return text_of(connection, "SELECT quote_ident(pg_get_userbyid(nspowner)) FROM pg_namespace WHERE nspname = ?",
                 postgres_schema);
}

// Default privileges are for what later migrations make.
void grant_tables(Connection& connection, const std::string& rights, const std::string& name,
                  const std::string& owner) {
  connection.execute(
      fmt::format("GRANT USAGE ON SCHEMA {0} TO {1}; GRANT {2} ON ALL TABLES IN SCHEMA {0} TO {1};"
                  "ALTER DEFAULT PRIVILEGES FOR ROLE {3} IN SCHEMA {0} GRANT {2} ON TABLES TO {1}",
                  postgres_schema, name, rights, owner));
}

void take_back(Connection& connection, const std::string& name, const std::string& owner) {
  connection.execute(
      fmt::format("REVOKE ALL ON ALL TABLES IN SCHEMA {0} FROM {1}; REVOKE ALL ON SCHEMA {0} FROM {1};"
                  "ALTER DEFAULT PRIVILEGES FOR ROLE {2} IN SCHEMA {0} REVOKE ALL ON TABLES FROM {1};"
                  "REVOKE {2} FROM {1}",
                  postgres_schema, name, owner));
}

}  // namespace

void grant(const std::string& address, StoreRole role, const std::string& to) {
  const auto connection = open_postgres(address, OpenMode::read_write, std::chrono::system_clock::now);
  const auto work = [&] {
    const std::string name = quoted_role(*connection, to), owner = store_owner(*connection);
    if (name == owner)
      throw StoreError(StoreError::Cause::other,
                       fmt::format("'{}' made the store {} and stays its owner", to, connection->file().string()));
    connection->execute("SET LOCAL ROLE " + owner);
    take_back(*connection, name, owner);
    if (role == StoreRole::owner) {
      connection->execute(fmt::format("GRANT {} TO {}", owner, name));
      return true;
    }
    grant_tables(*connection, role == StoreRole::reader ? "SELECT" : "SELECT, INSERT, UPDATE, DELETE", name, owner);
    // Which version the schema has, and who may spend how much, is not a tuner's to say.
    connection->execute(
        fmt::format("REVOKE INSERT, UPDATE, DELETE ON {0}.schema_version, {0}.work_quotas, {0}.work_spending FROM {1}",
                    postgres_schema, name));
    return true;
  };
  connection->transact("grant a role", work, Effect::apply, Isolation::alone);
}

}  // namespace warptune::db
