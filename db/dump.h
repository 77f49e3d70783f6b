// Sessions taken out of a store as plain data, and laid beside another store's tables to be merged into them.
#pragma once

#include <array>
#include <span>

#include "db/connection.h"

namespace warptune::db {

// What a merge reads of the other store: each as `other_<table>`.
inline constexpr std::array merged_tables = {"stores",  "devices",     "kernels",          "sessions", "trials",
                                             "winners", "winner_ties", "winner_finalists", "checks",   "roofs"};

// Throws StoreError if there is no such session.
SessionDump load_dump(Connection& connection, SessionId session);

// Temporary tables `other_…` of these sessions, or of all that another store holds, numbered anew; `source` is
// the name that rows remember. In a transaction of `connection`.
void fill_from_dumps(Connection& connection, std::span<const SessionDump> sessions, const std::string& source);
void fill_from_store(Connection& connection, Connection& other, const std::string& source);
void drop_filled(Connection& connection);

}  // namespace warptune::db
