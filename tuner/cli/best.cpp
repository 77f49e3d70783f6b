#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tuner/cli/filter.h"
#include "tuner/cli/verbs.h"
#include "tuner/metrics/pareto.h"
#include "tuner/report/session_report.h"

namespace warptune::cli {

namespace {

std::optional<Value> speed_up(const db::Winner& winner, double objective) {
  if (!winner.default_objective || objective == 0) return std::nullopt;
  // A maximised metric is stored negated; its gain is then the other way round.
  const double ratio = *winner.default_objective / objective;
  return objective < 0 ? 1 / ratio : ratio;
}

// How far the winner is ahead of the first candidate that does not tie with it.
std::optional<Value> lead(const db::Winner& winner) {
  for (const db::WinnerFinalist& finalist : winner.finalists)
    if (finalist.trial != winner.trial && std::ranges::find(winner.ties, finalist.trial) == winner.ties.end())
      return difference_text(finalist.slower_by, finalist.slower_low, finalist.slower_high);
  return std::nullopt;
}

// The winner; with several objectives the whole front.
std::vector<db::StoredTrial> shown_trials(const db::BestRecord& best, const db::Store& store) {
  if (best.trial.trial.objectives.size() < 2) return {best.trial};
  std::vector<db::StoredTrial> stored = store.trials(best.session.id);
  std::vector<Trial> trials;
  for (const db::StoredTrial& one : stored) trials.push_back(one.trial);
  std::vector<db::StoredTrial> front;
  for (const std::size_t i : pareto_front(trials)) front.push_back(std::move(stored[i]));
  return front;
}

std::string numbers_text(const std::vector<double>& objectives) {
  std::string text;
  for (const double value : objectives) text += fmt::format("{}{:.5g}", text.empty() ? "" : ", ", std::abs(value));
  return text;
}

Table best_table(const std::vector<db::BestRecord>& records, const db::Store& store) {
  Table table({"kernel", "device", "problem_size", "time_ms", "objective", "value", "values", "uncertainty", "speed_up",
               "ahead_by", "ties", "session", "measured_at", "configuration"});
  for (const db::BestRecord& best : records) {
    for (const db::StoredTrial& shown : shown_trials(best, store)) {
      const bool winner = shown.id == best.winner.trial;
      const auto& measurement = shown.trial.measurement;
      const double value = winner ? best.winner.objective : shown.trial.objectives.front();
      const std::optional<double> error = best.winner.relative_error;
      table.add({best.session.key.kernel, best.session.key.device.name, to_text(best.session.key.problem_size),
                 measurement ? std::optional<Value>(measurement->median_ms) : std::nullopt, best.session.objective,
                 std::abs(value),
                 shown.trial.objectives.size() > 1 ? std::optional<Value>(numbers_text(shown.trial.objectives))
                                                   : std::nullopt,
                 winner && error ? std::optional<Value>(fmt::format("± {:.2f} %", *error * 100)) : std::nullopt,
                 speed_up(best.winner, value), winner ? lead(best.winner) : std::nullopt,
                 winner ? std::optional<Value>(static_cast<std::int64_t>(best.winner.ties.size())) : std::nullopt,
                 best.session.id, shown.recorded_at, to_text(shown.values)});
    }
  }
  return table;
}

void run(const FilterOptions& options, Context& context) {
  if (!context.store_exists()) {
    context.exit_code = nothing_correct;
    return;
  }
  const db::Store store = context.open_store(db::OpenMode::read_only);
  const auto records = store.best(options.resolved());
  if (records.empty()) {
    say("no winner matches; `warptune history` lists the sessions there are");
    context.exit_code = nothing_correct;
  }
  if (!records.empty() || context.output_format() != Format::table)
    write_output("", best_table(records, store).render(context.output_format()));
}

}  // namespace

void add_best(CLI::App& program, Context& context) {
  CLI::App* verb = program.add_subcommand("best", "Show the best configuration for each device and problem size");
  auto options = std::make_shared<FilterOptions>();
  verb->add_option("kernel", options->filter.kernel, "a kernel template's name; default all");
  add_choice_options(*verb, *options);
  add_database_option(*verb, context);
  add_format_option(*verb, context);
  verb->callback([options, &context] { run(*options, context); });
}

}  // namespace warptune::cli
