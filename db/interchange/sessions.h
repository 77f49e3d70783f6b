// Converts between recorded spaces and what the store keeps of sessions, for importing and exporting.
#pragma once

#include <vector>

#include "db/interchange/recorded_space.h"
#include "db/records.h"

namespace warptune::db {

// Returns a stored session as a recorded space. The domain of a parameter is what its trials have, numbers ascending.
RecordedSpace recorded_space(const SessionRecord& session, const std::vector<StoredTrial>& trials);

// Return what to store of a recorded space: the session (finished, or interrupted if the file was unfinished), whose
// key says that it was imported, and the trials with their values by name. The store sets the ids.
SessionRecord session_record(const RecordedSpace& space);
std::vector<StoredTrial> stored_trials(const RecordedSpace& space);

}  // namespace warptune::db
