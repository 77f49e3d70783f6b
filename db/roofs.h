// What devices were measured to reach at most.
#pragma once

#include <span>

#include "db/connection.h"

namespace warptune::db {

void save_roofs(Connection& connection, const DeviceRecord& device, std::span<const Roof> roofs);
std::vector<Roof> load_roofs(Connection& connection, const DeviceRecord& device);
// Of two of one model and name the later measured stays. Returns how many rows changed.
std::int64_t merge_roofs(Connection& connection);

}  // namespace warptune::db
