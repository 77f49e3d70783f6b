// Giving back what nothing refers to any more.
#pragma once

#include <chrono>

#include "db/connection.h"

namespace warptune::db {

// `idle_since`: running sessions without trials go only if their last change is older (ISO 8601).
GcReport collect_garbage(Connection& connection, const std::string& idle_since, Effect effect);

}  // namespace warptune::db
