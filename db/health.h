// Finds out what is wrong with a store without changing it, for `warptune doctor`. It is apart from open.h, which
// repairs (migrates, sets up) while it opens.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "db/store_access.h"

namespace warptune::db {

// Returns the version of the SQLite that is linked, and of the libpq that servers are reached with, or why there is
// none: "SQLite 3.40.1, libpq 15.3".
std::string engine_version();

struct StoreHealth {
  int schema = 0;         // 0: the file is empty
  int newest_schema = 0;  // that this program knows
  std::uint64_t bytes = 0;
  std::int64_t sessions = 0;
  bool checked = false;  // the whole file was read; false: it is too large for that
};

// Examines a store that exists, and takes its write lock for a moment. Throws StoreError for what a session would
// stumble over: no permission, damage, a newer schema, another program's file, a lock that is not given up within a
// second.
StoreHealth examine_store(const std::filesystem::path& file);

}  // namespace warptune::db
