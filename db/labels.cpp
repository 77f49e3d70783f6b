// Updates the labels of sessions, and deletes sessions with their rows in other tables.
#include "db/labels.h"

#include <fmt/format.h>

namespace warptune::db {

namespace {

std::int64_t count(Connection& connection, const std::string& table, SessionId session) {
  Query select = connection.query("SELECT count(*) FROM " + table + " WHERE session_id = ?");
  select.bind(session).step();
  return select.integer();
}

void require_session(Connection& connection, SessionId session) {
  Query select = connection.query("SELECT 1 FROM sessions WHERE id = ?");
  if (!select.bind(session).step())
    throw StoreError(StoreError::Cause::other,
                     fmt::format("there is no session {} in the store {}", session, connection.file().string()));
}

// Deletes a session. The rows of its winner go first, since they refer to trials and are not removed with these.
void remove_one(Connection& connection, SessionId session) {
  for (const char* table : {"winner_ties", "winner_finalists", "winners"})
    connection.query(fmt::format("DELETE FROM {} WHERE session_id = ?", table)).bind(session).run();
  connection.query("DELETE FROM trials WHERE session_id = ?").bind(session).run();  // checks go with them
  connection.query("DELETE FROM sessions WHERE id = ?").bind(session).run();
}

}  // namespace

void label_session(Connection& connection, SessionId session, const SessionLabel& label) {
  require_session(connection, session);
  Query update = connection.query(
      "UPDATE sessions SET name = CASE WHEN CAST(? AS BIGINT) <> 0 THEN ? ELSE name END,"
      " note = CASE WHEN CAST(? AS BIGINT) <> 0 THEN ? ELSE note END, labelled_at = ? WHERE id = ?");
  update.bind(std::int64_t{label.name.has_value()}).bind(label.name.value_or(""));
  update.bind(std::int64_t{label.note.has_value()}).bind(label.note.value_or(""));
  update.bind(connection.now()).bind(session).run();
}

RemovalReport remove_sessions(Connection& connection, std::span<const SessionId> sessions) {
  RemovalReport report;
  for (const SessionId session : sessions) {
    require_session(connection, session);
    ++report.sessions;
    report.trials += count(connection, "trials", session);
    report.winners += count(connection, "winners", session);
    remove_one(connection, session);
  }
  connection.query("DELETE FROM devices WHERE id NOT IN (SELECT device_id FROM sessions)").run();
  connection.query("DELETE FROM kernels WHERE id NOT IN (SELECT kernel_id FROM sessions)").run();
  return report;
}

}  // namespace warptune::db
