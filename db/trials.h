// Trials: one for each configuration of a session.
#pragma once

#include "db/connection.h"

namespace warptune::db {

// Replaces the trial of the same configuration and keeps its id.
TrialId save_trial(Connection& connection, SessionId session, const NamedValues& values, const Trial& trial,
                   const std::string& recorded_at);

std::vector<StoredTrial> load_trials(Connection& connection, SessionId session);
std::vector<StoredTrial> load_best_trials(Connection& connection, SessionId session, std::size_t limit);
std::optional<StoredTrial> load_trial(Connection& connection, TrialId id);

}  // namespace warptune::db
