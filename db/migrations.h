// The schema's versions. The file's `PRAGMA user_version` is the number of migrations it has run.
#pragma once

#include <string>
#include <vector>

#include "db/connection.h"

namespace warptune::db {

struct Migration {
  std::string name;  // "001_sessions_and_trials.sql"
  std::string sql;
};

// db/schema/*.sql in order, embedded when the project is built.
const std::vector<Migration>& migrations();
// db/schema/postgresql/*.sql likewise: a baseline, and the same numbers from there on.
const std::vector<Migration>& postgres_migrations();

// "WTdb": PRAGMA application_id of every store, so that another program's database is never taken for one.
inline constexpr int application_id = 0x57546462;

// The first table, view, trigger or index that no migration up to the file's version makes, as "view planted"; empty if
// there is none. Only of a file of this program and of a version that it knows.
std::string unknown_object(Connection& connection);

enum class SchemaState { empty, older, current, newer, foreign };
SchemaState schema_state(Connection& connection);

// Brings an empty or older file to the newest schema in one transaction.
void migrate(Connection& connection);

}  // namespace warptune::db
