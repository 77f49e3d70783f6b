// Sets names and notes of sessions, and removes sessions.
#pragma once

#include <span>

#include "db/connection.h"

namespace warptune::db {

// Both throw StoreError for a session that is not there. Call them in a write transaction.
void label_session(Connection& connection, SessionId session, const SessionLabel& label);
// Removes sessions with everything that belongs to them, and with the devices and kernels that only they referred to.
RemovalReport remove_sessions(Connection& connection, std::span<const SessionId> sessions);

}  // namespace warptune::db
