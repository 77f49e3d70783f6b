// Saves, loads, labels and removes sessions with the devices and kernels that they refer to.
#pragma once

#include <span>
#include <string>

#include "db/engine/connection.h"
#include "db/records.h"

namespace warptune::db {

std::optional<SessionId> find_session(Connection& connection, const SessionKey& key);
// Returns the id of the key's session, which is created unless it exists. Call it in a write transaction.
SessionId insert_session(Connection& connection, const SessionRecord& session);
void update_state(Connection& connection, SessionId session, SessionState state);
void update_expected(Connection& connection, SessionId session, const std::string& json);
void update_maximised(Connection& connection, SessionId session, const std::string& maximised);
std::optional<SessionRecord> load_session(Connection& connection, SessionId id);

// A SELECT over sessions starts with this text. read_session() reads one of its rows.
extern const std::string select_sessions;
SessionRecord read_session(Query& row);

// Converts a session's problem to its column `problem_names`. The column `problem_size` holds sizes and variants as one
// JSON object sorted by name, which is what keys are compared by. The column `problem_names` says which are which, in
// the manifest's order:
//
//   {"sizes":["M","N","K"],"variants":["PRECISION"]}
//
// Rejected: a column for variants. The key would have had to become another, and with it every query that joins on it.

std::string problem_names(const SessionKey& key);

// Sets the key's sizes and variants from the two columns. A value that `names` does not name is a size; before names
// were kept, the column was empty, and there were only sizes. A value that is no integer is a variant, whatever `names`
// says. Throws nlohmann::json::exception.
void name_problem(const search::NamedValues& problem, const std::string& names, SessionKey& key);

// Sets a session's name and note. This and remove_sessions() throw StoreError for a session that is not there. Call
// them in a write transaction.
void label_session(Connection& connection, SessionId session, const SessionLabel& label);
// Removes sessions with everything that belongs to them, and with the devices and kernels that only they referred to.
RemovalReport remove_sessions(Connection& connection, std::span<const SessionId> sessions);

}  // namespace warptune::db
