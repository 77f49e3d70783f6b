// Files of earlier versions: what their sessions say otherwise than today's.
#pragma once

#include <string>

#include "db/records.h"

namespace warptune::db {

// Of a file that does not say of which objectives more is better: as migration 017 does with a store's rows. The first
// trial tells that has the metric beside the objective, which is its negative then; where none does, an objective below
// zero is taken for one.
std::string maximised_by_signs(const SessionDump& dump);

// A session of a file of schema "warptune-sessions/1" brought up to today's form, as migration 007 does with a store's
// rows: the policy's parts become fields of the key, the device's UUID goes to the trials that certainly ran, and
// settled times are added.
void bring_up_to_date(SessionDump& dump, const std::string& device_uuid);

}  // namespace warptune::db
