// Lists of sessions and of winners under a filter.
#pragma once

#include "db/connection.h"

namespace warptune::db {

std::vector<SessionRecord> list_sessions(Connection& connection, const HistoryFilter& filter);
std::vector<BestRecord> list_best(Connection& connection, const HistoryFilter& filter);

}  // namespace warptune::db
