// Saves and loads roofs, which are what devices were measured to reach at most.
#pragma once

#include <span>

#include "db/engine/connection.h"

namespace warptune::db {

void save_roofs(Connection& connection, const DeviceRecord& device, std::span<const Roof> roofs);
std::vector<Roof> load_roofs(Connection& connection, const DeviceRecord& device);
// Merges the table `other_roofs` into ours. Of two roofs of one model and name, the one that was measured later stays.
// Returns how many rows changed.
std::int64_t merge_roofs(Connection& connection);

}  // namespace warptune::db
