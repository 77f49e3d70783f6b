// Reports checks of sessions, as a table and as JUnit XML, and what became of a store's winners since they were found.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/records.h"
#include "tuner/results/check/check.h"
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

// Returns one row for each configuration that was measured, and one at least for each session.
Table check_table(const std::vector<SessionCheck>& checks);

// Returns the whole as JUnit XML, one test case a session. Regression, stale and wrong are failures of that type. What
// could not be measured, or only on a slower machine, is an error. An absent device, and sources that nobody kept, are
// skipped.
std::string junit_xml(const std::vector<SessionCheck>& checks);

}  // namespace warptune::tuner
