// Stores on a PostgreSQL server: opening and examining them.
#pragma once

#include <memory>

#include "db/connection.h"
#include "db/health.h"

namespace warptune::db {

// Opens the store in an address' database. To write, makes the schema where there is none and brings an older one up to
// date; both need a role that owns it (README.md, "On a server"). Throws StoreError.
std::unique_ptr<Connection> open_postgres(const std::string& address, OpenMode mode, Clock clock);

// Changes nothing. Throws StoreError for what a session would stumble over.
StoreHealth examine_postgres(const std::string& address);

// "libpq 15.3 (libpq.so.5)", or why there is none.
std::string postgres_version();

}  // namespace warptune::db
