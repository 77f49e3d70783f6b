#include <fmt/format.h>

#include "tuner/cli/filter.h"
#include "tuner/cli/verbs.h"
#include "tuner/report/session_report.h"

namespace warptune::cli {

namespace {

Table best_table(const std::vector<db::BestRecord>& records) {
  Table table({"kernel", "device", "problem_size", "time_ms", "objective", "value", "speed_up", "session",
               "measured_at", "configuration"});
  for (const db::BestRecord& best : records) {
    const auto& measurement = best.trial.trial.measurement;
    const auto& fallback = best.winner.default_objective;
    std::optional<Value> speed_up;
    if (fallback && best.winner.objective != 0) {
      // A maximised metric is stored negated; its gain is then the other way round.
      const double ratio = *fallback / best.winner.objective;
      speed_up = best.winner.objective < 0 ? 1 / ratio : ratio;
    }
    table.add({best.session.key.kernel, best.session.key.device.name, to_text(best.session.key.problem_size),
               measurement ? std::optional<Value>(measurement->median_ms) : std::nullopt, best.session.objective,
               best.winner.objective < 0 ? -best.winner.objective : best.winner.objective, speed_up, best.session.id,
               best.trial.recorded_at, to_text(best.trial.values)});
  }
  return table;
}

void run(const FilterOptions& options, Context& context) {
  if (!context.store_exists()) {
    context.exit_code = nothing_correct;
    return;
  }
  const auto records = context.open_store(db::OpenMode::read_only).best(options.resolved());
  if (records.empty()) {
    say("no winner matches; `warptune history` lists the sessions there are");
    context.exit_code = nothing_correct;
  }
  if (!records.empty() || context.output_format() != Format::table)
    write_output("", best_table(records).render(context.output_format()));
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
