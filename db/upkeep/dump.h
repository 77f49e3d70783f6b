// Takes sessions out of a store as plain data, and lays them beside another store's tables to be merged into them.
#pragma once

#include <array>
#include <span>

#include "db/engine/connection.h"

namespace warptune::db {

// A merge reads these tables of the other store, each under the name `other_<table>`.
inline constexpr std::array merged_tables = {"stores",  "devices",     "kernels",          "sessions", "trials",
                                             "winners", "winner_ties", "winner_finalists", "checks",   "roofs"};

// Throws StoreError if there is no such session.
SessionDump load_dump(Connection& connection, SessionId session);

// Make temporary tables `other_…` and fill them with these sessions, or with all that another store holds, numbered
// anew. `source` is stored as the place that the rows came from. Call them in a transaction of `connection`.
void fill_from_dumps(Connection& connection, std::span<const SessionDump> sessions, const std::string& source);
void fill_from_store(Connection& connection, Connection& other, const std::string& source);
void drop_filled(Connection& connection);

}  // namespace warptune::db
