// Judges each check by the usual tolerance of `warptune check`, and lists the latest of each session.
#include "tuner/results/report/drift_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "db/settled.h"
#include "tuner/results/check/check.h"
#include "tuner/results/report/text/figures.h"

namespace warptune::tuner {

namespace {

std::optional<double> worst_of(const std::vector<db::TrialCheck>& checks) {
  std::optional<double> worst;
  for (const db::TrialCheck& check : checks)
    if (const auto drift = drift_of(check); drift && (!worst || *drift > *worst)) worst = drift;
  return worst;
}

}  // namespace

std::vector<db::TrialCheck> winners_checks(const std::vector<db::TrialCheck>& checks,
                                           const std::optional<db::Winner>& winner) {
  std::vector<db::TrialCheck> chosen;
  std::ranges::copy_if(checks, std::back_inserter(chosen),
                       [&](const db::TrialCheck& check) { return winner && check.trial == winner->trial; });
  return chosen.empty() ? checks : chosen;
}

std::optional<double> drift_of(const db::TrialCheck& check) {
  if (!check.objective || !check.recorded_objective) return std::nullopt;
  return drift_of(*check.recorded_objective, *check.objective);
}

std::string finding_of(const db::TrialCheck& check, const std::optional<db::Winner>& winner) {
  const auto drift = drift_of(check);
  if (check.outcome != search::Outcome::correct || !drift) return std::string(to_string(check.outcome));
  const double recorded_error = winner && winner->trial == check.trial ? winner->relative_error.value_or(0) : 0;
  const double allowed = CheckOptions{}.tolerance + db::sum_of_errors(recorded_error, check.relative_error.value_or(0));
  return *drift > allowed ? "slower" : *drift < -allowed ? "faster" : "holds";
}

bool is_worse(const db::TrialCheck& check, const std::optional<db::Winner>& winner) {
  return check.outcome != search::Outcome::correct || finding_of(check, winner) == "slower";
}

Cell drift_cell(double drift) {
  return Cell(drift < 2 ? fmt::format("{:+.1f} %", drift * 100) : ratio_text(1 + drift), drift * 100);
}

Table drift_table(const std::vector<DriftRow>& rows) {
  std::vector<std::string> columns{"session",       "kernel",        "device",        "problem_size",
                                   "finding",       "drift_percent", "worst_percent", "checks",
                                   "first_checked", "last_checked",  "differs",       "message"};
  const bool stores = std::ranges::any_of(rows, [](const DriftRow& row) { return !row.store.empty(); });
  if (stores) columns.push_back("store");
  Table table(columns);
  table.heading("problem_size", "SIZE").heading("drift_percent", "DRIFT").heading("worst_percent", "WORST");
  const auto text = [](const std::string& content) { return content.empty() ? Cell() : Cell(content); };
  const auto drift = [](const std::optional<double>& value) { return value ? drift_cell(*value) : Cell(); };
  for (const DriftRow& row : rows) {
    const db::TrialCheck& latest = row.checks.back();
    std::vector<Cell> cells{row.session.id,
                            row.session.key.kernel,
                            row.session.key.device.name,
                            row.session.key.problem(),
                            finding_of(latest, row.winner),
                            drift(drift_of(latest)),
                            drift(worst_of(row.checks)),
                            static_cast<std::int64_t>(row.checks.size()),
                            moment_cell(row.checks.front().checked_at),
                            moment_cell(latest.checked_at),
                            text(latest.differs),
                            text(latest.message)};
    if (stores) cells.emplace_back(row.store);
    table.add(std::move(cells));
  }
  return table;
}

}  // namespace warptune::tuner
