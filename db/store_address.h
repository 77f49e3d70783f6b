// Where a store is: a file, or a database of a PostgreSQL server named by its address, as libpq takes it
// (postgresql://user@host:port/database?sslmode=verify-full).
#pragma once

#include <filesystem>
#include <string>

namespace warptune::db {

// Whether a store's name is a server's address. What is not is a file.
bool is_address(const std::filesystem::path& name);

// The name as it may be shown and stored: a file's absolute path; an address without a password.
std::filesystem::path shown_name(const std::filesystem::path& name);

// Whether there may be a store to read: an address is always to be asked.
bool may_exist(const std::filesystem::path& name);

}  // namespace warptune::db
