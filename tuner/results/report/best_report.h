// Lists the winners: for each kernel, device and problem size the best configuration there is.
#pragma once

#include <string>
#include <vector>

#include "db/store.h"
#include "tuner/results/report/history_report.h"

namespace warptune::tuner {

struct BestRow {
  db::BestRecord best;
  std::vector<db::StoredTrial> shown;  // the winner; with several objectives the whole front
  std::string store;                   // empty if there is only one
  std::string differs;                 // parts of the key that are not today's
};

// Returns what BestRow::shown is, from the store that the winner lies in.
std::vector<db::StoredTrial> shown_trials(const db::BestRecord& best, const db::Store& store);

// Returns whether the finals held nothing beside the winner but the default configuration, so that AHEAD BY is empty.
bool lacks_runner_up(const db::Winner& winner);

// Returns the table. It has names, kinds and captures only if they say something, unless everything is asked for.
Table best_table(const std::vector<BestRow>& rows, Columns wanted);

}  // namespace warptune::tuner
