// Knows the versions of the schema of SQLite files, and brings files up to date. The file's `PRAGMA user_version` is
// the number of migrations it has run.
#pragma once

#include <string>
#include <vector>

#include "db/engine/connection.h"

namespace warptune::db {

struct Migration {
  std::string name;  // "001_sessions_and_trials.sql"
  std::string sql;
};

// Returns db/schema/*.sql in order. They are embedded when the project is built.
const std::vector<Migration>& migrations();
// Returns db/schema/postgresql/*.sql likewise: a baseline, and migrations with the same numbers from there on.
const std::vector<Migration>& postgres_migrations();

// Every store's PRAGMA application_id is "WTdb", so that another program's database is never taken for one.
inline constexpr int application_id = 0x57546462;

// Returns the first table, view, trigger or index that no migration up to the file's version makes, as "view planted";
// empty if there is none. The file must be of this program and of a version that it knows.
std::string unknown_object(Connection& connection);

enum class SchemaState { empty, older, current, newer, foreign };
SchemaState schema_state(Connection& connection);

// Brings an empty or older file to the newest schema in one transaction.
void migrate(Connection& connection);

}  // namespace warptune::db
