// Reads a session's trials a page at a time, however many there are. Each page begins behind a known trial instead of
// at a number of rows to be skipped. So it is found in an index, and stays where it is while others record.
#pragma once

#include "db/connection.h"

namespace warptune::db {

TrialPage load_trial_page(Connection& connection, SessionId session, const TrialPageRequest& request);
std::map<search::Outcome, std::int64_t> load_outcome_counts(Connection& connection, SessionId session);

}  // namespace warptune::db
