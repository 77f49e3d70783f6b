// Turns SQLite's error codes into sentences that say what to do.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "db/store_access.h"

namespace warptune::db {

// A SqliteFailure is one failure as SQLite reports it.
struct SqliteFailure {
  int code = 0;          // extended result code
  int system_errno = 0;  // of the last failing system call; 0 if none
  std::string message;
};

// Returns the name of a code, such as "SQLITE_FULL". An extended code without a name of its own gets its primary
// code's.
std::string_view error_name(int code);

// Makes a StoreError with advice. `attempted` completes the words "cannot …", as "record a trial" does.
StoreError make_error(std::string_view attempted, const std::filesystem::path& file, const SqliteFailure& failure);

}  // namespace warptune::db
