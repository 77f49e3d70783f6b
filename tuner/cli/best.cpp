#include <fmt/format.h>

#include <algorithm>

#include "tuner/cli/currency.h"
#include "tuner/cli/filter.h"
#include "tuner/cli/verbs.h"
#include "tuner/report/history_report.h"

namespace warptune::cli {

namespace {

struct Options {
  FilterOptions choice;
  std::string kernel_template;
  bool require_current = false;
};

struct Row {
  db::BestRecord best;
  std::string store;    // empty if there is only one
  std::string differs;  // parts of the key that are not today's
};

std::optional<Value> cell(const std::optional<double>& number) {
  return number ? std::optional<Value>(*number) : std::nullopt;
}

Table best_table(const std::vector<Row>& rows) {
  const bool stores = std::ranges::any_of(rows, [](const Row& row) { return !row.store.empty(); });
  std::vector<std::string> columns{"kernel", "device",   "problem_size", "time_ms",     "objective",
                                   "value",  "speed_up", "session",      "measured_at", "differs"};
  if (stores) columns.push_back("store");
  columns.push_back("configuration");
  Table table(columns);
  for (const auto& [best, store, differs] : rows) {
    const auto& measurement = best.trial.trial.measurement;
    std::vector<std::optional<Value>> cells{best.session.key.kernel,
                                            best.session.key.device.name,
                                            to_text(best.session.key.problem_size),
                                            measurement ? std::optional<Value>(measurement->median_ms) : std::nullopt,
                                            best.session.objective,
                                            std::abs(best.winner.objective),
                                            cell(speed_up(best.winner)),
                                            best.session.id,
                                            best.trial.recorded_at,
                                            differs.empty() ? std::nullopt : std::optional<Value>(differs)};
    if (stores) cells.emplace_back(store);
    cells.emplace_back(to_text(best.trial.values));
    table.add(std::move(cells));
  }
  return table;
}

void run(const Options& options, Context& context) {
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
    rows.push_back({std::move(best.record), context.origin(stores, best.store), standing.parts()});
  }
  if (rows.empty()) {
    say("no winner matches; `warptune history` lists the sessions there are");
    context.exit_code = nothing_correct;
  }
  if (!rows.empty() || context.output_format() != Format::table)
    write_output("", best_table(rows).render(context.output_format()));
}

}  // namespace

void add_best(CLI::App& program, Context& context) {
  CLI::App* verb = program.add_subcommand("best", "Show the best configuration for each device and problem size");
  auto options = std::make_shared<Options>();
  verb->add_option("kernel", options->choice.filter.kernel, "a kernel template's name; default all");
  verb->add_flag("--require-current", options->require_current,
                 "end with code 9 if a part of a session's key differs from this machine");
  add_choice_options(*verb, options->choice);
  add_template_option(*verb, options->kernel_template);
  add_database_option(*verb, context);
  add_format_option(*verb, context);
  verb->callback([options, &context] { run(*options, context); });
}

}  // namespace warptune::cli
