// Takes over another store's contents, and removes what nothing refers to any more.
#pragma once

#include <chrono>

#include "db/engine/connection.h"

namespace warptune::db {

MergeReport merge_store(Connection& connection, const std::filesystem::path& other, Effect effect);
MergeReport merge_dumps(Connection& connection, std::span<const SessionDump> sessions, const std::string& source,
                        Effect effect);

// Removes sessions without trials, devices and kernels without sessions, and on a server the templates of work that has
// ended, and gives their space back. A running session goes only if its last change is older than `idle_since` (ISO
// 8601).
GcReport collect_garbage(Connection& connection, const std::string& idle_since, Effect effect);

}  // namespace warptune::db
