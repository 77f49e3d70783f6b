// Implements `warptune history`, which lists the tuning sessions in the store.
#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/grammar/verbs.h"
#include "tuner/program/cli/results/history_verbs.h"
#include "tuner/program/cli/stores/filter.h"
#include "tuner/program/cli/stores/known_names.h"
#include "tuner/results/report/history_report.h"

namespace warptune::tuner::cli {

namespace {

struct HistoryArguments {
  FilterOptions list;
  std::vector<std::string> group_by;
};

void run_history(const HistoryArguments& options, Context& context) {
  if (!context.store_exists()) {
    context.exit_code = nothing_correct;
    return;
  }
  const db::StoreSet stores = context.open_stores();
  db::HistoryFilter filter = options.list.resolved(stores);
  if (!options.group_by.empty()) filter.limit = filter.offset = 0;  // a group of half its sessions would be wrong
  std::vector<HistoryRow> rows;
  for (auto& [session, store] : stores.history(filter))
    rows.push_back(history_row(std::move(session), stores.store(store), context.origin(stores, store)));
  if (rows.empty()) {
    say("no session matches" + unknown_in(filter, stores));
    context.exit_code = nothing_correct;
  }
  if (rows.empty() && context.output_format() == Format::table) return;
  if (options.group_by.empty())
    context.print("history", "sessions",
                  history_table(rows, context.output_format() == Format::json ? Columns::all : Columns::needed));
  else
    context.print("history", "groups", grouped_history(rows, options.group_by));
}

}  // namespace

void add_history(CLI::App& program, Context& context) {
  CLI::App* verb = program.add_subcommand("history", "List the tuning sessions in the store, newest first");
  auto options = std::make_shared<HistoryArguments>();
  options->list.filter.limit = 50;
  add_kernel_argument(*verb, options->list);
  verb->add_option("--group-by", options->group_by, "one row for each combination of these, as kernel,device")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(one_of(history_groups()))
      ->group(group::list);
  add_choice_options(*verb, options->list);
  add_list_options(*verb, options->list);
  add_database_option(*verb, context);
  add_format_option(*verb, context);
  verb->group(verbs::results);
  add_examples(*verb, {{"the newest sessions", "warptune history"},
                       {"what was tuned on one kind of GPU, month by month",
                        "warptune history --device H100 --group-by kernel,month"}});
  add_history_verbs(*verb, context);
  verb->callback([options, verb, &context] {
    if (verb->get_subcommands().empty()) run_history(*options, context);
  });
}

}  // namespace warptune::tuner::cli
