// Tells where a store is: a file, or a database of a PostgreSQL server named by its address, as libpq takes it
// (postgresql://user@host:port/database?sslmode=verify-full).
#pragma once

#include <filesystem>
#include <string>

namespace warptune::db {

// Returns whether a store's name is a server's address. Any other name is a file's.
bool is_address(const std::filesystem::path& name);

// Returns the name as it may be shown and stored: a file's absolute path; an address without a password.
std::filesystem::path shown_name(const std::filesystem::path& name);

// Returns whether there may be a store to read. It is true for every address, since only the server can tell.
bool may_exist(const std::filesystem::path& name);

}  // namespace warptune::db
