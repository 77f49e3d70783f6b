// From SQLite's error codes to sentences that say what to do.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "db/store.h"

namespace warptune::db {

// One failure as SQLite reports it.
struct SqliteFailure {
  int code = 0;          // extended result code
  int system_errno = 0;  // of the last failing system call; 0 if none
  std::string message;
};

// "SQLITE_FULL"; a code of no name of its own gives its primary code's.
std::string_view error_name(int code);

// `attempted` completes "cannot …": "record a trial".
StoreError make_error(std::string_view attempted, const std::filesystem::path& file, const SqliteFailure& failure);

}  // namespace warptune::db
