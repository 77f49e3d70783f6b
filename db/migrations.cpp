#include "db/migrations.h"

namespace warptune::db {

namespace {

int pragma(Connection& connection, const char* name) {
  SQLite::Statement statement(connection.database(), std::string("PRAGMA ") + name);
  statement.executeStep();
  return statement.getColumn(0).getInt();
}

void set_pragma(Connection& connection, const char* name, int value) {
  connection.database().exec(std::string("PRAGMA ") + name + " = " + std::to_string(value));
}

bool has_tables(Connection& connection) {
  SQLite::Statement statement(connection.database(), "SELECT 1 FROM sqlite_schema LIMIT 1");
  return statement.executeStep();
}

}  // namespace

SchemaState schema_state(Connection& connection) {
  const int id = pragma(connection, "application_id");
  if (id != application_id) return id != 0 || has_tables(connection) ? SchemaState::foreign : SchemaState::empty;
  const int version = pragma(connection, "user_version");
  const int newest = static_cast<int>(migrations().size());
  if (version > newest) return SchemaState::newer;
  return version < newest ? SchemaState::older : SchemaState::current;
}

void migrate(Connection& connection) {
  connection.transact("bring the schema up to date", [&] {
    // Read inside the transaction: another process may have migrated since this one looked.
    const auto done = static_cast<std::size_t>(pragma(connection, "user_version"));
    for (std::size_t i = done; i < migrations().size(); ++i) {
      connection.database().exec(migrations()[i].sql);
      set_pragma(connection, "user_version", static_cast<int>(i + 1));
    }
    set_pragma(connection, "application_id", application_id);
    return true;
  });
}

}  // namespace warptune::db
