// What became of winners since: the checks of each session's winner over time (`warptune check`), for a whole store.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/records.h"
#include "tuner/results/report/text/table.h"

namespace warptune::tuner {

// A session whose winner was measured again, at least once.
struct DriftRow {
  db::SessionRecord session;
  std::optional<db::Winner> winner;
  std::vector<db::TrialCheck> checks;  // the winner's, oldest first, never empty
  std::string store = {};              // its file; empty if there is only one
};

// The checks of the winner among a session's; of all trials if the winner has none (it may have changed since).
std::vector<db::TrialCheck> winners_checks(const std::vector<db::TrialCheck>& checks,
                                           const std::optional<db::Winner>& winner);

// Of the objective: 0.1 is 10 % worse than recorded. Nothing if it was not measured.
std::optional<double> drift_of(const db::TrialCheck& check);

// What a check says, as `warptune check` judges with its own tolerance: "holds", "slower", "faster", else the outcome.
std::string finding_of(const db::TrialCheck& check, const std::optional<db::Winner>& winner);
// Whether somebody should look.
bool is_worse(const db::TrialCheck& check, const std::optional<db::Winner>& winner);

// One row a session: its latest check, and the worst.
Table drift_table(const std::vector<DriftRow>& rows);

// "+1.2 %"; beyond that it is no drift, but another kernel or device: "4.2 times".
Cell drift_cell(double drift);

}  // namespace warptune::tuner
