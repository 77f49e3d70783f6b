// Lists the sessions of a store, or groups of them.
#pragma once

#include <string>
#include <vector>

#include "db/store_set.h"
#include "tuner/results/report/text/table.h"

namespace warptune::tuner {

// A row is a session of a history list, with what is shown beside it.
struct HistoryRow {
  db::SessionRecord session;
  std::optional<db::Winner> winner;
  std::optional<double> value;  // the winner's objective as users know it (db/objective_value.h)
  std::string store;            // its file; empty if there is only one
};
// Returns the row of a session; `origin` is the row's `store`.
HistoryRow history_row(db::SessionRecord session, const db::Store& store, std::string origin = {});

// Says which optional columns of a list are shown.
enum class Columns {
  needed,  // "name", "note", "kind", "capture" and "store" only if they say something of some row
  all,     // of JSON; "store" still only if some row names one
};
Table history_table(const std::vector<HistoryRow>& rows, Columns columns = Columns::needed);

// Returns what sessions can be grouped by: "kernel", "device", "driver", "size", "state", "strategy", "name", "kind",
// "month", "day".
const std::vector<std::string>& history_groups();

// Returns one row a group, in order of first appearance: sessions, trials, correct ones, the best speed-up over the
// default, the first and the last start. Throws std::invalid_argument for an unknown name.
Table grouped_history(const std::vector<HistoryRow>& rows, const std::vector<std::string>& group_by);

}  // namespace warptune::tuner
