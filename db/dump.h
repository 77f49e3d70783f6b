// Whole sessions out of a store and, as a store attached under the name `other`, on their way into one.
#pragma once

#include "db/connection.h"

namespace warptune::db {

SessionDump load_dump(Connection& connection, SessionId session);

// Makes the tables that a merge reads in the empty database `other`, and puts the sessions there. Call it in a
// transaction.
void fill_attached(Connection& connection, std::span<const SessionDump> sessions, const std::string& source);

}  // namespace warptune::db
