// Names and notes of sessions, and the removal of sessions.
#pragma once

#include <span>

#include "db/connection.h"

namespace warptune::db {

// Both throw StoreError for a session that is not there. Call them in a write transaction.
void label_session(Connection& connection, SessionId session, const SessionLabel& label);
// With everything that belongs to it, and what only it referred to.
RemovalReport remove_sessions(Connection& connection, std::span<const SessionId> sessions);

}  // namespace warptune::db
