// Brings the sessions of files of earlier versions up to today's form.
#pragma once

#include <string>

#include "db/records.h"

namespace warptune::db {

// Returns the objectives of which more is better, for a file that does not say it, as migration 017 does with a store's
// rows. The first trial that has the metric beside the objective tells: the objective is the metric negated if it is
// maximised. Where no trial tells, an objective is taken for maximised if it was below zero.
std::string maximised_by_signs(const SessionDump& dump);

// Brings a session of a file of schema "warptune-sessions/1" up to today's form, as migration 007 does with a store's
// rows: the policy's parts become fields of the key, the device's UUID goes to the trials that certainly ran, and
// settled times are added.
void bring_up_to_date(SessionDump& dump, const std::string& device_uuid);

}  // namespace warptune::db
