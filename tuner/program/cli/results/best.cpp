// Implements `warptune best`, which shows the best configuration for each device and problem size.
#include <fmt/format.h>

#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/grammar/verbs.h"
#include "tuner/program/cli/stores/filter.h"
#include "tuner/program/cli/stores/stored_sessions.h"
#include "tuner/results/report/best_report.h"

namespace warptune::tuner::cli {

namespace {

struct BestArguments {
  FilterOptions choice;
  std::string kernel_template;
  bool require_current = false;
  bool reproducible = false;
};

// Prints for each winner's session the fastest configuration of each class of bit-identical outputs.
void show_classes(const std::vector<BestRow>& rows, const db::StoreSet& stores, const std::vector<std::size_t>& numbers,
                  const Context& context) {
  std::vector<ClassesRow> shown;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const db::BestRecord& best = rows[i].best;
    std::size_t without = 0;
    auto classes = bits_classes(best, stores.store(numbers[i]).trials(best.session.id), without);
    if (without > 0)
      say(
          fmt::format("session {} ({}): {} correct configurations are in no class: their outputs are declared "
                      "nondeterministic, were not verified, or were measured before bits were kept",
                      best.session.id, best.session.key.kernel, without));
    shown.push_back({best, std::move(classes), rows[i].store});
  }
  const Table table = classes_table(shown);
  if (!table.empty() || context.output_format() != Format::table) context.print("best", "classes", table);
}

// Says, in the words of `tune`, for which sessions the winner's runner-up was not in the finals.
void say_of_finals_without_runner_up(const std::vector<BestRow>& rows) {
  std::string sessions;
  for (const BestRow& row : rows)
    if (lacks_runner_up(row.best.winner))
      sessions += fmt::format("{}{}", sessions.empty() ? "" : ", ", row.best.session.id);
  if (sessions.empty()) return;
  say(fmt::format(
      "note: session {}: the winner's runner-up was not in the finals: its time is the search's, and may be "
      "lucky. So nothing is said of how far the winner is ahead (AHEAD BY)",
      sessions));
}

void run_best(const BestArguments& options, Context& context) {
  if (!context.store_exists()) {
    context.exit_code = nothing_correct;
    return;
  }
  const db::StoreSet stores = context.open_stores();
  db::HistoryFilter filter = options.choice.resolved(stores);
  filter.each_question = true;
  Today today = make_today(options.kernel_template);
  std::vector<BestRow> rows;
  std::vector<std::size_t> numbers;  // of the rows' stores, within the set
  for (db::Located<db::BestRecord>& best : stores.best(filter)) {
    const Standing standing = today.standing(best.record.session);
    if (!warn_if_stale(best.record.session, standing) && options.require_current) context.exit_code = not_current;
    say_of_a_faster_session(best.record, stores.store(best.store));
    say_of_a_later_trial(best.record, stores.store(best.store));
    auto shown = shown_trials(best.record, stores.store(best.store));
    numbers.push_back(best.store);
    rows.push_back({std::move(best.record), std::move(shown), context.origin(stores, best.store), standing.parts()});
  }
  say_of_finals_without_runner_up(rows);
  if (rows.empty()) {
    say(no_winner_matches(filter, stores));
    context.exit_code = nothing_correct;
  }
  if (options.reproducible) return show_classes(rows, stores, numbers, context);
  if (!rows.empty() || context.output_format() != Format::table)
    context.print("best", "winners",
                  best_table(rows, context.output_format() == Format::json ? Columns::all : Columns::needed));
}

}  // namespace

void add_best(CLI::App& program, Context& context) {
  CLI::App* verb = program.add_subcommand("best", "Show the best configuration for each device and problem size");
  auto options = std::make_shared<BestArguments>();
  add_kernel_argument(*verb, options->choice, &options->kernel_template);
  verb->add_flag("--require-current", options->require_current,
                 "exit code 9 if a winner is out of date: driver, compiler or source changed")
      ->group(group::sessions);
  verb->add_flag("--reproducible", options->reproducible,
                 "for each session, the fastest configuration of each class of bit-identical outputs");
  add_choice_options(*verb, options->choice);
  add_template_option(*verb, options->kernel_template);
  add_database_option(*verb, context);
  add_format_option(*verb, context);
  verb->group(verbs::results);
  add_examples(*verb, {{"the best of every kernel, device and size", "warptune best"},
                       {"of one kernel, for a script", "warptune best gemm --format json"},
                       {"what equal bits cost", "warptune best reduction --reproducible"}});
  verb->callback([options, &context] { run_best(*options, context); });
}

}  // namespace warptune::tuner::cli
