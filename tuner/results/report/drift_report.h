// Reports what became of winners since: the checks of each session's winner over time (`warptune check`), for a whole
// store.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/records.h"
#include "tuner/results/report/text/table.h"

namespace warptune::tuner {

// A row is a session whose winner was measured again, at least once.
struct DriftRow {
  db::SessionRecord session;
  std::optional<db::Winner> winner;
  std::vector<db::TrialCheck> checks;  // the winner's, oldest first, never empty
  std::string store = {};              // its file; empty if there is only one
};

// Returns the checks of the winner among a session's; those of all trials if the winner has none (it may have changed
// since).
std::vector<db::TrialCheck> winners_checks(const std::vector<db::TrialCheck>& checks,
                                           const std::optional<db::Winner>& winner);

// Returns the drift of the objective: 0.1 is 10 % worse than recorded. Returns nothing if it was not measured.
std::optional<double> drift_of(const db::TrialCheck& check);

// Returns what a check says, as `warptune check` judges with its own tolerance: "holds", "slower", "faster", else the
// outcome.
std::string finding_of(const db::TrialCheck& check, const std::optional<db::Winner>& winner);
// Returns whether somebody should look at the check: it failed, or is slower.
bool is_worse(const db::TrialCheck& check, const std::optional<db::Winner>& winner);

// Returns one row a session: its latest check, and the worst.
Table drift_table(const std::vector<DriftRow>& rows);

// Returns a cell as "+1.2 %". From three times the recorded cost on it is no drift, but another kernel or device: "4.20
// times".
Cell drift_cell(double drift);

}  // namespace warptune::tuner
