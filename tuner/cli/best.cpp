#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "db/settled.h"
#include "tuner/cli/filter.h"
#include "tuner/cli/stored_sessions.h"
#include "tuner/cli/verbs.h"
#include "tuner/metrics/pareto.h"
#include "tuner/report/session_report.h"

namespace warptune::tuner::cli {

namespace {

struct BestArguments {
  FilterOptions choice;
  std::string kernel_template;
  bool require_current = false;
};

struct Row {
  db::BestRecord best;
  std::vector<db::StoredTrial> shown;  // the winner; with several objectives the whole front
  std::string store;                   // empty if there is only one
  std::string differs;                 // parts of the key that are not today's
};

// Of any of the trials, beside the default; the winner's own is what every other output shows.
Cell speed_up_of(const db::StoredTrial& shown, const db::Settled& settled, db::Winner winner) {
  if (shown.id != winner.trial) winner.time_ms = settled.time_ms, winner.objective = settled.objective;
  const auto ratio = db::speed_up(winner);
  return ratio ? Cell(ratio_text(*ratio), *ratio) : Cell();
}

// What differs from the default, where that was measured.
Cell configuration_of(const db::StoredTrial& shown, const db::BestRecord& best) {
  return configuration_cell(shown.values, best.default_trial ? best.default_trial->values : search::NamedValues{});
}

// How far the winner is ahead of the first candidate that does not tie with it.
Cell lead(const db::Winner& winner) {
  if (winner.finalists.empty() || winner.finalists.front().trial != winner.trial) return std::nullopt;
  for (const db::WinnerFinalist& finalist : winner.finalists)
    if (finalist.trial != winner.trial && std::ranges::find(winner.ties, finalist.trial) == winner.ties.end())
      return Cell(difference_text(finalist.slower_by, finalist.slower_low, finalist.slower_high), finalist.slower_by);
  return std::nullopt;
}

// The winner; with several objectives the whole front.
std::vector<db::StoredTrial> shown_trials(const db::BestRecord& best, const db::Store& store) {
  if (best.trial.trial.objectives.size() < 2) return {best.trial};
  std::vector<db::StoredTrial> stored = store.trials(best.session.id);
  std::vector<search::Trial> trials;
  for (const db::StoredTrial& one : stored) trials.push_back(one.trial);
  std::vector<db::StoredTrial> front;
  for (const std::size_t i : pareto_front(trials)) front.push_back(std::move(stored[i]));
  return front;
}

std::vector<double> shown_values(std::vector<double> objectives) {
  for (double& value : objectives) value = std::abs(value);  // a maximised metric is stored negated
  return objectives;
}

// One of the configurations that a row of `best` stands for.
std::vector<Cell> cells_of(const db::BestRecord& best, const db::StoredTrial& shown) {
  const bool winner = shown.id == best.winner.trial;
  const db::Settled settled = db::settled(best.winner, shown);
  return {best.session.key.kernel,
          best.session.key.device.name,
          best.session.key.problem(),
          time_cell(settled.time_ms),
          best.session.objective,
          objective_cell(best.session.objective, std::abs(settled.objective)),
          shown.trial.objectives.size() > 1 ? Cell(shown_values(shown.trial.objectives)) : std::nullopt,
          error_cell(settled.time_error),
          winner ? speed_up_cell(best.winner) : speed_up_of(shown, settled, best.winner),
          winner ? lead(best.winner) : std::nullopt,
          winner ? Cell(static_cast<std::int64_t>(best.winner.ties.size())) : std::nullopt,
          best.session.id,
          moment_cell(shown.recorded_at)};
}

Table best_table(const std::vector<Row>& rows) {
  const bool stores = std::ranges::any_of(rows, [](const Row& row) { return !row.store.empty(); });
  std::vector<std::string> columns{"kernel", "device",  "problem_size",   "time_ms",  "objective",
                                   "value",  "values",  "relative_error", "speed_up", "ahead_by",
                                   "ties",   "session", "measured_at",    "differs"};
  if (stores) columns.push_back("store");
  columns.push_back("configuration");
  Table table(columns);
  table.heading("problem_size", "SIZE").heading("time_ms", "TIME").heading("relative_error", "ERROR");
  table.heading("measured_at", "MEASURED");
  if (std::ranges::all_of(rows, [](const Row& row) { return row.best.session.objective == "time"; }))
    table.only_for_programs({"objective", "value"});
  table.less_important({"values", "measured_at", "device", "ties", "ahead_by", "relative_error"});
  for (const Row& row : rows) {
    for (const db::StoredTrial& shown : row.shown) {
      auto cells = cells_of(row.best, shown);
      cells.push_back(row.differs.empty() ? std::nullopt : Cell(row.differs));
      if (stores) cells.emplace_back(row.store);
      cells.push_back(configuration_of(shown, row.best));
      table.add(std::move(cells));
    }
  }
  return table;
}

void run_best(const BestArguments& options, Context& context) {
  if (!context.store_exists()) {
    context.exit_code = nothing_correct;
    return;
  }
  const db::StoreSet stores = context.open_stores();
  Today today = make_today(options.kernel_template);
  std::vector<Row> rows;
  for (db::Located<db::BestRecord>& best : stores.best(options.choice.resolved())) {
    const Standing standing = today.standing(best.record.session);
    if (!warn_if_stale(best.record.session, standing) && options.require_current) context.exit_code = not_current;
    auto shown = shown_trials(best.record, stores.store(best.store));
    rows.push_back({std::move(best.record), std::move(shown), context.origin(stores, best.store), standing.parts()});
  }
  if (rows.empty()) {
    say("no winner matches; `warptune history` lists the sessions there are");
    context.exit_code = nothing_correct;
  }
  if (!rows.empty() || context.output_format() != Format::table) context.print("best", "winners", best_table(rows));
}

}  // namespace

void add_best(CLI::App& program, Context& context) {
  CLI::App* verb = program.add_subcommand("best", "Show the best configuration for each device and problem size");
  auto options = std::make_shared<BestArguments>();
  verb->add_option("kernel", options->choice.filter.kernel, "a kernel template's name; default all");
  verb->add_flag("--require-current", options->require_current,
                 "end with code 9 if a part of a session's key differs from this machine");
  add_choice_options(*verb, options->choice);
  add_template_option(*verb, options->kernel_template);
  add_database_option(*verb, context);
  add_format_option(*verb, context);
  verb->callback([options, &context] { run_best(*options, context); });
}

}  // namespace warptune::tuner::cli
