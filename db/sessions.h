// Saves and loads sessions with the devices and kernels that they refer to.
#pragma once

#include "db/connection.h"

namespace warptune::db {

std::optional<SessionId> find_session(Connection& connection, const SessionKey& key);
// Returns the id of the key's session, which is created unless it exists. Call it in a write transaction.
SessionId insert_session(Connection& connection, const SessionRecord& session);
void update_state(Connection& connection, SessionId session, SessionState state);
void update_expected(Connection& connection, SessionId session, const std::string& json);
void update_maximised(Connection& connection, SessionId session, const std::string& maximised);
std::optional<SessionRecord> load_session(Connection& connection, SessionId id);

// A SELECT over sessions starts with this text. read_session() reads one of its rows.
extern const std::string select_sessions;
SessionRecord read_session(Query& row);

}  // namespace warptune::db
