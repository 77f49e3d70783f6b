// Decides which winner a session has once two stores are merged: the better one by the rule of winner_rule.h, so that
// merging makes none worse.
#pragma once

#include <string>

#include "db/engine/connection.h"

namespace warptune::db {

// Fills the table `taken_winners` with the sessions of `merged_ids` whose winner is to be the other store's: where we
// have none, and where theirs replaces ours. It is to be called before the trials are merged, since their merge reads
// this table.
void choose_winners(Connection& connection);

// Returns the SQL condition under which a trial of the other store replaces ours of the same configuration: it was
// recorded later. A winner that no finals measured keeps the trial that it won by, unless that turned out wrong.
std::string trial_is_replaced();

// Takes the winners of `taken_winners` over, with their ties and finals. Returns how many there were.
std::int64_t merge_winners(Connection& connection);

// Replaces winners whose trial is wrong by the best correct trial, or removes them if there is none. A trial that is
// wrong in one store is wrong in both, whatever the other believed when it chose its winner.
void withdraw_wrong_winners(Connection& connection);

}  // namespace warptune::db
