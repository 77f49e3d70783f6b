// Opens a store: a file in every state it may be in (missing, older, read-only, left by a killed writer, not a store),
// or a database of a PostgreSQL server. The functions for servers are in postgresql/; a build without it has them
// refuse (postgres_absent.cpp).
#pragma once

#include <memory>

#include "db/engine/connection.h"
#include "db/health.h"

namespace warptune::db {

// Throws StoreError.
std::unique_ptr<Connection> open_connection(const std::filesystem::path& file, OpenMode mode, Clock clock);

// Opens a file that exists, as it is: nothing is set up or migrated. Refuses what open_connection() refuses. Waits
// `patience_ms` for others' locks. Throws StoreError.
std::unique_ptr<Connection> open_untouched(const std::filesystem::path& file, int patience_ms);

// Returns the SQLite URI of a file. `parameters` is "mode=ro" or "immutable=1".
std::string file_uri(const std::filesystem::path& file, std::string_view parameters);

// Opens the store in an address' database. To write, it makes the schema where there is none, and brings an older one
// up to date; both need a role that owns it (README.md, "On a server"). Throws StoreError.
std::unique_ptr<Connection> open_postgres(const std::string& address, OpenMode mode, Clock clock);

// Examines a store, and changes nothing. Throws StoreError for what a session would stumble over.
StoreHealth examine_postgres(const std::string& address);

// Returns "libpq 15.3", or why there is none.
std::string postgres_version();

}  // namespace warptune::db
