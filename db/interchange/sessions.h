// Between recorded spaces and what the store keeps of sessions: importing and exporting.
#pragma once

#include <vector>

#include "db/interchange/recorded_space.h"
#include "db/records.h"

namespace warptune::db {

// A stored session as a recorded space; a parameter's domain is what its trials have, numbers ascending.
RecordedSpace recorded_space(const SessionRecord& session, const std::vector<StoredTrial>& trials);

// What to store of a recorded space: the session (finished, or interrupted if the file was unfinished), whose key says
// that it was imported, and the trials with their values by name. Ids are the store's to set.
SessionRecord session_record(const RecordedSpace& space);
std::vector<StoredTrial> stored_trials(const RecordedSpace& space);

}  // namespace warptune::db
