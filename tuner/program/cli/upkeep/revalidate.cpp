// Implements `warptune revalidate`, which measures each session's best again, after an update of driver or compiler.
#include "tuner/results/check/revalidate.h"

#include <fmt/format.h>

#include "db/objective_value.h"
#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/grammar/values.h"
#include "tuner/program/cli/grammar/verbs.h"
#include "tuner/program/cli/stores/filter.h"
#include "tuner/program/cli/stores/stored_sessions.h"
#include "tuner/program/cli/terminal/interrupt.h"
#include "tuner/program/cli/tuning/measuring.h"

namespace warptune::tuner::cli {

namespace {

struct RevalidateArguments {
  FilterOptions choice;
  std::string kernel_template;
  std::size_t top = 10;
  EvaluatorOptions evaluator;
};

Table new_table() {
  return Table({"session", "from_session", "kernel", "device", "problem_size", "measured", "known", "correct",
                "time_ms", "value", "recorded", "configuration"});
}

void add_row(const db::BestRecord& best, const Revalidation& result, Table& table) {
  Cell time_ms, value, configuration;
  if (result.winner) {
    const db::Settled settled = db::settled(std::nullopt, *result.winner);
    if (settled.time_ms) time_ms = *settled.time_ms;
    value = db::objective_value(settled.objective, best.session);
    configuration = result.winner->values;
  }
  const auto count = [](std::size_t number) { return static_cast<std::int64_t>(number); };
  table.add({result.session, best.session.id, best.session.key.kernel, best.session.key.device.name,
             best.session.key.problem(), count(result.measured), count(result.known), count(result.correct), time_ms,
             value, db::objective_value(best.winner.objective, best.session), configuration});
}

Revalidation revalidate_one(const db::BestRecord& best, const Standing& standing, const db::Store& from,
                            db::Store& store, const RevalidateArguments& options, const std::atomic<bool>& stop) {
  Remeasurer remeasurer(request_again(best.session, standing, options.evaluator), stop);
  const auto top = from.best_trials(best.session.id, options.top);
  return revalidate(best.session, top, *standing.key, remeasurer, store);
}

void run_revalidate(const RevalidateArguments& options, Context& context) {
  if (!context.store_exists()) {
    context.exit_code = nothing_correct;
    return;
  }
  db::Store store = context.open_store(db::OpenMode::read_write);
  const db::StoreSet stores = context.open_stores();
  db::HistoryFilter filter = options.choice.resolved(stores);
  filter.each_question = true;
  Today today = make_today(options.kernel_template);
  Table table = new_table();
  const auto winners = stores.best(filter);
  const Interrupt interrupt;
  for (const auto& [best, index] : winners) {
    if (interrupt.flag()) break;
    if (left_out_as_recording(best.session)) continue;
    const Standing standing = today.standing(best.session);
    if (warn_if_stale(best.session, standing)) continue;
    if (standing.sources_not_kept) continue;
    if (!standing.key) {
      context.exit_code = standing.device ? check_failed : no_device;
      continue;
    }
    const Revalidation result = revalidate_one(best, standing, stores.store(index), store, options, interrupt.flag());
    if (interrupt.flag()) break;
    if (!result.winner) context.exit_code = nothing_correct;
    add_row(best, result, table);
  }
  if (winners.empty()) {
    say(no_winner_matches(filter, stores));
    context.exit_code = nothing_correct;
  } else if (interrupt.flag()) {
    context.exit_code = interrupted;
    say("interrupted; what was measured is in the store, and the same command goes on");
  } else if (table.empty()) {
    say("nothing was measured: what matches is current, or cannot be measured on this machine");
  }
  if (!table.empty() || context.output_format() != Format::table) context.print("revalidate", "sessions", table);
}

}  // namespace

void add_revalidate(CLI::App& program, Context& context) {
  CLI::App* verb =
      program.add_subcommand("revalidate", "Measure each session's best again, after an update of driver or compiler");
  auto options = std::make_shared<RevalidateArguments>();
  add_kernel_argument(*verb, options->choice, &options->kernel_template);
  verb->add_option("--top", options->top, "number of configurations measured again in each session")
      ->check(whole(1, most_rows))
      ->group(group::measuring)
      ->capture_default_str();
  add_choice_options(*verb, options->choice);
  add_compile_options(*verb, options->evaluator);
  add_template_option(*verb, options->kernel_template);
  add_database_option(*verb, context);
  add_format_option(*verb, context);
  verb->group(verbs::store);
  add_examples(*verb, {{"after an update of the driver", "warptune revalidate"},
                       {"of one kernel, the best three", "warptune revalidate gemm --top 3"}});
  verb->callback([options, &context] { run_revalidate(*options, context); });
}

}  // namespace warptune::tuner::cli
