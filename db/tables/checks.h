// Saves and loads checks, which are later measurements of stored configurations.
#pragma once

#include "db/engine/connection.h"

namespace warptune::db {

void save_check(Connection& connection, const TrialCheck& check);
std::vector<TrialCheck> load_checks(Connection& connection, SessionId session);
std::map<SessionId, std::vector<TrialCheck>> load_all_checks(Connection& connection, const std::string& since);

}  // namespace warptune::db
