// Writes out what `warptune grant` grants. The owner gives rights on tables. The server decides who may make members of
// a role. Since PostgreSQL 15 the role itself may not, so that an ordinary owner cannot make another one.
#include <fmt/format.h>

#include "db/postgresql/postgres_engine.h"
#include "db/schema/open.h"
#include "db/server.h"

namespace warptune::db {

namespace {

std::string text_of(Connection& connection, const std::string& sql, const std::string& parameter) {
  Query query = connection.query(sql);
  query.bind(parameter);
  return query.step() ? query.text() : "";
}

// Returns `to` as SQL names it. Throws StoreError if the server has no such role.
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

// Grants rights on all tables. Default privileges are for the tables that later migrations make.
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
                  "ALTER DEFAULT PRIVILEGES FOR ROLE {2} IN SCHEMA {0} REVOKE ALL ON TABLES FROM {1}",
                  postgres_schema, name, owner));
}

// Returns whether `name` is a direct member of `owner`. Membership by way of other roles does not count, since a
// superuser is a member of every role.
bool is_member(Connection& connection, const std::string& name, const std::string& owner) {
  Query query = connection.query(
      "SELECT CASE WHEN EXISTS (SELECT 1 FROM pg_auth_members WHERE quote_ident(pg_get_userbyid(roleid)) = ?"
      " AND quote_ident(pg_get_userbyid(member)) = ?) THEN 1 ELSE 0 END");
  query.bind(owner).bind(name);
  return query.step() && query.integer() == 1;
}

// Runs a statement in the caller's transaction. Returns false if the current role may not run it; nothing has changed
// then.
bool permitted(Connection& connection, const std::string& sql) {
  connection.execute("SAVEPOINT membership");
  try {
    connection.execute(sql);
    return true;
  } catch (const PostgresError& error) {
    if (error.state() != "42501") throw;
    connection.execute("ROLLBACK TO SAVEPOINT membership");
    return false;
  }
}

// Changes a membership as the user who asks, who may be a superuser, or else as the owner. Returns false if neither
// may.
bool change_membership(Connection& connection, const std::string& sql, const std::string& owner) {
  connection.execute("SET LOCAL ROLE NONE");
  if (permitted(connection, sql)) return true;
  connection.execute("SET LOCAL ROLE " + owner);
  return permitted(connection, sql);
}

void make_owner(Connection& connection, const std::string& name, const std::string& owner) {
  const std::string sql = fmt::format("GRANT {} TO {}", owner, name);
  if (is_member(connection, name, owner) || change_membership(connection, sql, owner)) return;
  throw StoreError(StoreError::Cause::read_only,
                   fmt::format("cannot make {} an owner of the store {}: the role {} may not name members of its own; "
                               "let a superuser of the server run: {}",
                               name, connection.file().string(), owner, sql));
}

// Takes a membership back. Returns a sentence if it stays; else an empty text.
std::string end_membership(Connection& connection, const std::string& name, const std::string& owner) {
  if (!is_member(connection, name, owner)) return {};
  const std::string sql = fmt::format("REVOKE {} FROM {}", owner, name);
  // A grant that somebody else made stays in force, without an error (from PostgreSQL 16 on).
  if (change_membership(connection, sql, owner) && !is_member(connection, name, owner)) return {};
  return fmt::format(
      "{0} is still a member of {1}, the store's owner, and may do all that it may; let a superuser of "
      "the server run: {2}",
      name, owner, sql);
}

}  // namespace

std::string grant(const std::string& address, StoreRole role, const std::string& to) {
  const auto connection = open_postgres(address, OpenMode::read_write, std::chrono::system_clock::now);
  const auto work = [&]() -> std::string {
    const std::string name = quoted_role(*connection, to), owner = store_owner(*connection);
    if (name == owner)
      throw StoreError(StoreError::Cause::other,
                       fmt::format("'{}' made the store {} and stays its owner", to, connection->file().string()));
    connection->execute("SET LOCAL ROLE " + owner);
    take_back(*connection, name, owner);
    if (role == StoreRole::owner) {
      make_owner(*connection, name, owner);
      return {};
    }
    grant_tables(*connection, role == StoreRole::reader ? "SELECT" : "SELECT, INSERT, UPDATE, DELETE", name, owner);
    // A tuner may not change which version the schema has, nor who may spend how much.
    connection->execute(
        fmt::format("REVOKE INSERT, UPDATE, DELETE ON {0}.schema_version, {0}.work_quotas, {0}.work_spending FROM {1}",
                    postgres_schema, name));
    return end_membership(*connection, name, owner);
  };
  return connection->transact("grant a role", work, Effect::apply, Isolation::alone);
}

}  // namespace warptune::db
