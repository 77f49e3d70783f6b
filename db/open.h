// Opening a store's file in every state it may be in: missing, older, read-only, left by a killed writer, not a store.
#pragma once

#include <memory>

#include "db/connection.h"

namespace warptune::db {

// Throws StoreError.
std::unique_ptr<Connection> open_connection(const std::filesystem::path& file, OpenMode mode, Clock clock);

// The SQLite URI of a file: `parameters` is "mode=ro" or "immutable=1".
std::string file_uri(const std::filesystem::path& file, std::string_view parameters);

}  // namespace warptune::db
