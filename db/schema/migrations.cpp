// Runs the migrations of a file, and compares its schema with the one that they make.
#include "db/schema/migrations.h"

#include <algorithm>
#include <cstddef>

#include "db/engine/sqlite_engine.h"

namespace warptune::db {

namespace {

int pragma(Connection& connection, const char* name) {
  SQLite::Statement statement(sqlite_of(connection.engine()).database(), std::string("PRAGMA ") + name);
  statement.executeStep();
  return statement.getColumn(0).getInt();
}

void set_pragma(Connection& connection, const char* name, int value) {
  connection.execute(std::string("PRAGMA ") + name + " = " + std::to_string(value));
}

bool has_tables(Connection& connection) {
  SQLite::Statement statement(sqlite_of(connection.engine()).database(), "SELECT 1 FROM sqlite_schema LIMIT 1");
  return statement.executeStep();
}

struct SchemaObject {
  std::string type, name, sql;
  bool operator==(const SchemaObject&) const = default;
};

// Returns the objects of a schema. SQLite's own (sqlite_stat1, automatic indexes) and those without SQL text are left
// out.
std::vector<SchemaObject> objects_of(SQLite::Database& database) {
  std::vector<SchemaObject> objects;
  SQLite::Statement rows(database,
                         "SELECT type, name, sql FROM sqlite_schema"
                         " WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'");
  while (rows.executeStep())
    objects.push_back({rows.getColumn(0).getString(), rows.getColumn(1).getString(), rows.getColumn(2).getString()});
  return objects;
}

std::vector<SchemaObject> known_objects(std::size_t version) {
  SQLite::Database fresh(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  for (std::size_t i = 0; i < std::min(version, migrations().size()); ++i) fresh.exec(migrations()[i].sql);
  return objects_of(fresh);
}

}  // namespace

std::string unknown_object(Connection& connection) {
  SQLite::Database& database = sqlite_of(connection.engine()).database();
  const SQLite::Transaction reading(database);  // another process may migrate the file meanwhile
  const auto known = known_objects(static_cast<std::size_t>(pragma(connection, "user_version")));
  for (const SchemaObject& object : objects_of(database))
    if (std::ranges::find(known, object) == known.end()) return object.type + " " + object.name;
  return {};
}

SchemaState schema_state(Connection& connection) {
  // The transaction gives one view of the file. Between two separate reads another process may create the schema.
  const SQLite::Transaction reading(sqlite_of(connection.engine()).database());
  const int id = pragma(connection, "application_id");
  if (id != application_id) return id != 0 || has_tables(connection) ? SchemaState::foreign : SchemaState::empty;
  const int version = pragma(connection, "user_version");
  const int newest = static_cast<int>(migrations().size());
  if (version > newest) return SchemaState::newer;
  return version < newest ? SchemaState::older : SchemaState::current;
}

void migrate(Connection& connection) {
  connection.transact("bring the schema up to date", [&] {
    // The version is read inside the transaction, since another process may have migrated after this one looked.
    const auto done = static_cast<std::size_t>(pragma(connection, "user_version"));
    for (std::size_t i = done; i < migrations().size(); ++i) {
      connection.execute(migrations()[i].sql);
      set_pragma(connection, "user_version", static_cast<int>(i + 1));
    }
    set_pragma(connection, "application_id", application_id);
    return true;
  });
}

}  // namespace warptune::db
