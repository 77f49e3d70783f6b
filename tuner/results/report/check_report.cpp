// Judges checks by the usual tolerance of `warptune check`, lays out their rows, and turns verdicts into JUnit's
// failures, errors and skipped tests.
#include "tuner/results/report/check_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "db/objective_value.h"
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

namespace {

// Returns a recorded or measured objective as users know it.
Cell objective(const db::SessionRecord& session, double stored) {
  return objective_cell(session.objective, db::objective_value(stored, session));
}

bool has_figure(const CheckedConfiguration& checked) {
  return checked.measured.correct() && !checked.measured.objectives.empty();
}

Cell text(const std::string& text) {
  return text.empty() ? std::nullopt : Cell(text);
}

// Returns the default's values, which are known where the default was measured beside the winner.
search::NamedValues defaults_of(const SessionCheck& check) {
  const auto found = std::ranges::find(check.configurations, "default", &CheckedConfiguration::role);
  return found == check.configurations.end() ? search::NamedValues{} : found->recorded.values;
}

bool of_several_stores(const std::vector<SessionCheck>& checks) {
  return std::ranges::any_of(checks, [](const SessionCheck& check) { return !check.origin.empty(); });
}

void add_row(const SessionCheck& check, const CheckedConfiguration* checked, bool stores, Table& table) {
  std::vector<Cell> cells{check.session.id, check.session.key.kernel, check.session.key.device.name,
                          check.session.key.problem(), std::string(to_string(check.verdict))};
  if (checked) {
    cells.insert(
        cells.end(),
        {checked->role, std::string(to_string(checked->verdict)), objective(check.session, checked->settled.objective),
         has_figure(*checked) ? objective(check.session, checked->measured.objectives.front()) : Cell(),
         has_figure(*checked) && checked->drift ? drift_cell(*checked->drift) : Cell()});
  } else {
    cells.resize(cells.size() + 5);
  }
  cells.push_back(text(check.standing.parts()));
  cells.push_back(text(checked ? checked->measured.message : check.message));
  if (stores) cells.push_back(text(check.origin));
  cells.push_back(checked ? configuration_cell(checked->recorded.values, defaults_of(check)) : Cell());
  table.add(std::move(cells));
}

// Escapes a text for XML, which allows no control characters but line feeds and tabs, not even escaped.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t')
      out += c;
    else
      out += ' ';
  }
  return out;
}

// Returns a line on one configuration. What was never measured has no drift.
std::string line_of(const CheckedConfiguration& checked) {
  return fmt::format("{} {}: {}{}", checked.role, search::to_text(checked.recorded.values),
                     to_string(checked.measured.outcome),
                     has_figure(checked) && checked.drift ? fmt::format(", {:+.2f} %", *checked.drift * 100) : "");
}

std::string explanation(const SessionCheck& check) {
  std::string text = check.message;
  for (const CheckedConfiguration& checked : check.configurations)
    text += (text.empty() ? "" : "\n") + line_of(checked);
  if (!check.standing.current()) text += "\ndiffers: " + check.standing.explanation();
  return text;
}

std::string test_case(const SessionCheck& check) {
  const db::SessionKey& key = check.session.key;
  const std::string name = fmt::format("{} on {} (session {}{})", search::to_text(key.problem()), key.device.name,
                                       check.session.id, check.origin.empty() ? "" : " of " + check.origin);
  double seconds = 0;
  for (const CheckedConfiguration& checked : check.configurations) {
    const search::PhaseTimes& phases = checked.measured.phases;
    seconds += (phases.compile_ms + phases.verify_ms + phases.measure_ms + phases.framework_ms) / 1e3;
  }
  std::string text = fmt::format("  <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\"", escaped(key.kernel),
                                 escaped(name), seconds);
  const std::string verdict(to_string(check.verdict)), why = escaped(explanation(check));
  switch (check.verdict) {
    case Verdict::ok:
    case Verdict::improved:
      return text +
             (check.message.empty() ? "/>\n" : fmt::format(">\n    <system-out>{}</system-out>\n  </testcase>\n", why));
    case Verdict::no_device:
    case Verdict::not_checkable:
      return text + fmt::format(">\n    <skipped message=\"{}\"/>\n  </testcase>\n", why);
    case Verdict::failure:
    case Verdict::slower_machine:
      return text + fmt::format(">\n    <error type=\"{}\">{}</error>\n  </testcase>\n", verdict, why);
    default:
      return text + fmt::format(">\n    <failure type=\"{}\">{}</failure>\n  </testcase>\n", verdict, why);
  }
}

}  // namespace

Table check_table(const std::vector<SessionCheck>& checks) {
  const bool stores = of_several_stores(checks);
  std::vector<std::string> columns{"session", "kernel",   "device",   "problem_size",  "verdict", "role",
                                   "result",  "recorded", "measured", "drift_percent", "differs", "message"};
  if (stores) columns.push_back("store");
  columns.push_back("configuration");
  Table table(columns);
  table.heading("problem_size", "SIZE").heading("drift_percent", "DRIFT");
  table.heading("recorded", "THEN").heading("measured", "NOW");
  table.less_important({"device", "kernel", "result", "problem_size"});
  for (const SessionCheck& check : checks) {
    if (check.configurations.empty()) add_row(check, nullptr, stores, table);
    for (const CheckedConfiguration& checked : check.configurations) add_row(check, &checked, stores, table);
  }
  return table;
}

std::string junit_xml(const std::vector<SessionCheck>& checks) {
  const auto count = [&](auto... verdicts) {
    return std::ranges::count_if(checks,
                                 [&](const SessionCheck& check) { return ((check.verdict == verdicts) || ...); });
  };
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"warptune check\" tests=\"{}\" failures=\"{}\" "
      "errors=\"{}\" skipped=\"{}\">\n",
      checks.size(), count(Verdict::regression, Verdict::stale, Verdict::wrong),
      count(Verdict::failure, Verdict::slower_machine), count(Verdict::no_device, Verdict::not_checkable));
  for (const SessionCheck& check : checks) text += test_case(check);
  return text + "</testsuite>\n";
}

}  // namespace warptune::tuner
