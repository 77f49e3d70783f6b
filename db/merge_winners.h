// Which winner a session has once two stores are united: the better one by the rule of winner_rule.h, so that uniting
// makes none worse.
#pragma once

#include <string>

#include "db/connection.h"

namespace warptune::db {

// Fills the table `taken_winners` with the sessions of `merged_ids` whose winner is to be the other store's: where we
// have none, and where theirs replaces ours. Before the trials are merged, which go by it.
void choose_winners(Connection& connection);

// The condition under which a trial of the other store replaces ours of the same configuration: it was recorded later.
// A winner that no finals measured keeps the trial that it won by, unless that turned out wrong.
std::string trial_is_replaced();

// Takes those winners over, with their ties and finals. How many there were.
std::int64_t merge_winners(Connection& connection);

// A trial that is wrong in one store is wrong in both, whatever the other believed when it chose its winner.
void withdraw_wrong_winners(Connection& connection);

}  // namespace warptune::db
