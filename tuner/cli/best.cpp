#include "tuner/cli/filter.h"
#include "tuner/cli/options.h"
#include "tuner/cli/stored_sessions.h"
#include "tuner/cli/verbs.h"
#include "tuner/report/best_report.h"

namespace warptune::tuner::cli {

namespace {

struct BestArguments {
  FilterOptions choice;
  std::string kernel_template;
  bool require_current = false;
};

void run_best(const BestArguments& options, Context& context) {
  if (!context.store_exists()) {
    context.exit_code = nothing_correct;
    return;
  }
  const db::StoreSet stores = context.open_stores();
  Today today = make_today(options.kernel_template);
  std::vector<BestRow> rows;
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
  if (!rows.empty() || context.output_format() != Format::table)
    context.print("best", "winners",
                  best_table(rows, context.output_format() == Format::json ? Columns::all : Columns::needed));
}

}  // namespace

void add_best(CLI::App& program, Context& context) {
  CLI::App* verb = program.add_subcommand("best", "Show the best configuration for each device and problem size");
  auto options = std::make_shared<BestArguments>();
  add_kernel_argument(*verb, options->choice.filter.kernel, &options->kernel_template);
  verb->add_flag("--require-current", options->require_current, "exit code 9 if something is not today's")
      ->group(group::sessions);
  add_choice_options(*verb, options->choice);
  add_template_option(*verb, options->kernel_template);
  add_database_option(*verb, context);
  add_format_option(*verb, context);
  verb->group(verbs::results);
  add_examples(*verb, {{"the best of every kernel, device and size", "warptune best"},
                       {"of one kernel, for a script", "warptune best gemm --format json"}});
  verb->callback([options, &context] { run_best(*options, context); });
}

}  // namespace warptune::tuner::cli
