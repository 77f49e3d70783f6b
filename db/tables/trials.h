// Saves and loads trials; a session has one for each configuration.
#pragma once

#include "db/engine/connection.h"

namespace warptune::db {

// Returns the columns of a trial but its key (session_id, configuration) and where it came from (id, store_id):
// "outcome, objectives, …", each with `prefix`.
std::string recorded_trial_columns(const std::string& prefix = "");
// Returns "outcome = excluded.outcome, …" of the same columns, to follow DO UPDATE SET.
std::string trial_replacement();

// Saves a trial. It replaces the trial of the same configuration and keeps its id.
TrialId save_trial(Connection& connection, SessionId session, const search::NamedValues& values,
                   const search::Trial& trial, const std::string& recorded_at);

// Saves many trials of one session. Those without a time get the present. Call it in a write transaction.
std::vector<TrialId> save_trials(Connection& connection, SessionId session, std::span<const StoredTrial> trials);

// Saves the counters and the metrics of a trial that is there.
void save_counters(Connection& connection, TrialId id, const search::Counters& counters,
                   const std::map<std::string, double>& metrics);

// Inserts a trial into the temporary table `other_trials`, under an id and a store of the caller's.
void insert_into_other(Connection& connection, TrialId id, SessionId session, const StoredTrial& stored,
                       std::int64_t store);

std::optional<StoredTrial> find_trial(Connection& connection, SessionId session, const search::NamedValues& values);
std::vector<StoredTrial> load_trials(Connection& connection, SessionId session);
std::vector<StoredTrial> load_best_trials(Connection& connection, SessionId session, std::size_t limit);
std::optional<StoredTrial> load_trial(Connection& connection, TrialId id);

// Reads a session's trials a page at a time, however many there are. Each page begins behind a known trial instead of
// at a number of rows to be skipped. So it is found in an index, and stays where it is while others record.
TrialPage load_trial_page(Connection& connection, SessionId session, const TrialPageRequest& request);
std::map<search::Outcome, std::int64_t> load_outcome_counts(Connection& connection, SessionId session);

}  // namespace warptune::db
