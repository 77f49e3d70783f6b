// Saves and loads winners, which sessions settled on.
#pragma once

#include "db/engine/connection.h"

namespace warptune::db {

// The columns are in the order of the two functions below.
extern const std::string winner_columns;
extern const std::string finalist_columns;
// The text "trial_id = excluded.trial_id, …" follows DO UPDATE SET.
extern const std::string winner_replacement;

// Bind the columns of a winner and of a finalist. The caller names the trials, since it may number them anew.
void bind_winner(Query& query, SessionId session, TrialId trial, std::optional<TrialId> default_trial,
                 const std::string& decided_at, const Winner& winner);
void bind_finalist(Query& query, SessionId session, std::size_t position, TrialId trial,
                   const WinnerFinalist& finalist);

// Saves a winner with the settled times of winner and default, which follow from the finalists and the trials.
void save_winner(Connection& connection, SessionId session, const Winner& winner);
// Saves a winner unless the session has a better-founded one (winner_rule.h). Returns whether it was saved. Call it in
// a transaction.
bool settle_winner(Connection& connection, SessionId session, const Winner& winner);
void remove_winner(Connection& connection, SessionId session);
std::optional<Winner> load_winner(Connection& connection, SessionId session);

}  // namespace warptune::db
