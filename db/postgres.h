// Opens and examines stores on a PostgreSQL server.
#pragma once

#include <memory>

#include "db/connection.h"
#include "db/health.h"

namespace warptune::db {

// Opens the store in an address' database. To write, it makes the schema where there is none, and brings an older one
// up to date; both need a role that owns it (README.md, "On a server"). Throws StoreError.
std::unique_ptr<Connection> open_postgres(const std::string& address, OpenMode mode, Clock clock);

// Examines a store, and changes nothing. Throws StoreError for what a session would stumble over.
StoreHealth examine_postgres(const std::string& address);

// Returns "libpq 15.3", or why there is none.
std::string postgres_version();

}  // namespace warptune::db
