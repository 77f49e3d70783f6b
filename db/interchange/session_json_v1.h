// Files of schema "warptune-sessions/1": what their sessions say otherwise than today's.
#pragma once

#include <string>

#include "db/records.h"

namespace warptune::db {

// A session of such a file brought up to today's form, as migration 007 does with a store's rows: the policy's parts
// become fields of the key, the device's UUID goes to the trials that certainly ran, and settled times are added.
void bring_up_to_date(SessionDump& dump, const std::string& device_uuid);

}  // namespace warptune::db
