// Opens a store: a file in every state it may be in (missing, older, read-only, left by a killed writer, not a store),
// or a database of a server (postgres.h).
#pragma once

#include <memory>

#include "db/connection.h"

namespace warptune::db {

// Throws StoreError.
std::unique_ptr<Connection> open_connection(const std::filesystem::path& file, OpenMode mode, Clock clock);

// Opens a file that exists, as it is: nothing is set up or migrated. Refuses what open_connection() refuses. Waits
// `patience_ms` for others' locks. Throws StoreError.
std::unique_ptr<Connection> open_untouched(const std::filesystem::path& file, int patience_ms);

// Returns the SQLite URI of a file. `parameters` is "mode=ro" or "immutable=1".
std::string file_uri(const std::filesystem::path& file, std::string_view parameters);

}  // namespace warptune::db
