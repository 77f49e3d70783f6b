// Lists sessions and winners under a filter, and tells what there is to filter by.
#pragma once

#include <optional>
#include <vector>

#include "db/engine/connection.h"

namespace warptune::db {

std::vector<SessionRecord> list_sessions(Connection& connection, const HistoryFilter& filter);
std::vector<BestRecord> list_best(Connection& connection, const HistoryFilter& filter);
std::optional<SessionId> find_faster(Connection& connection, SessionId session);
StoreSummary load_summary(Connection& connection);

}  // namespace warptune::db
