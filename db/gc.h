// Removes what nothing refers to any more, and gives its space back.
#pragma once

#include <chrono>

#include "db/connection.h"

namespace warptune::db {

// Removes sessions without trials, devices and kernels without sessions, and on a server the templates of work that has
// ended. A running session goes only if its last change is older than `idle_since` (ISO 8601).
GcReport collect_garbage(Connection& connection, const std::string& idle_since, Effect effect);

}  // namespace warptune::db
