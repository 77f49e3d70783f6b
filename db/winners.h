// Winners: what each session settled on.
#pragma once

#include "db/connection.h"

namespace warptune::db {

// In the order of the two functions below.
extern const std::string winner_columns;
extern const std::string finalist_columns;
// "trial_id = excluded.trial_id, …": what DO UPDATE SET is followed by.
extern const std::string winner_replacement;

// Trials are named by the caller, who may number them anew.
void bind_winner(Query& query, SessionId session, TrialId trial, std::optional<TrialId> default_trial,
                 const std::string& decided_at, const Winner& winner);
void bind_finalist(Query& query, SessionId session, std::size_t position, TrialId trial,
                   const WinnerFinalist& finalist);

// With the settled times of winner and default, which follow from the finalists and the trials.
void save_winner(Connection& connection, SessionId session, const Winner& winner);
// The same, unless the session has a better-founded one (winner_rule.h); whether it was saved. In a transaction.
bool settle_winner(Connection& connection, SessionId session, const Winner& winner);
void remove_winner(Connection& connection, SessionId session);
std::optional<Winner> load_winner(Connection& connection, SessionId session);

}  // namespace warptune::db
