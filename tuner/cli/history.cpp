#include "tuner/cli/filter.h"
#include "tuner/cli/verbs.h"

namespace warptune::cli {

namespace {

Table session_table(const std::vector<db::SessionRecord>& sessions, const db::Store& store) {
  Table table({"session", "kernel", "device", "problem_size", "state", "trials", "correct", "best", "objective",
               "strategy", "started_at"});
  for (const db::SessionRecord& session : sessions) {
    const auto winner = store.winner(session.id);
    std::optional<Value> best;
    if (winner) best = winner->objective < 0 ? -winner->objective : winner->objective;
    table.add({session.id, session.key.kernel, session.key.device.name, to_text(session.key.problem_size),
               session.state, session.trials, session.correct_trials, best, session.objective, session.strategy,
               session.started_at});
  }
  return table;
}

void run(const FilterOptions& options, Context& context) {
  if (!context.store_exists()) return;
  const db::Store store = context.open_store(db::OpenMode::read_only);
  const auto sessions = store.history(options.resolved());
  if (sessions.empty()) say("no session matches");
  if (!sessions.empty() || context.output_format() != Format::table)
    write_output("", session_table(sessions, store).render(context.output_format()));
}

}  // namespace

void add_history(CLI::App& program, Context& context) {
  CLI::App* verb = program.add_subcommand("history", "List the tuning sessions in the store, newest first");
  auto options = std::make_shared<FilterOptions>();
  options->filter.limit = 50;
  verb->add_option("kernel", options->filter.kernel, "a kernel template's name; default all");
  add_choice_options(*verb, *options);
  add_list_options(*verb, *options);
  add_database_option(*verb, context);
  add_format_option(*verb, context);
  verb->callback([options, &context] { run(*options, context); });
}

}  // namespace warptune::cli
