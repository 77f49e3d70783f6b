// Implements `warptune diff`, which compares two sessions.
#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/grammar/verbs.h"
#include "tuner/results/report/session_diff.h"

namespace warptune::tuner::cli {

namespace {

struct DiffArguments {
  std::string first, second;
};

ComparedSession load(const std::string& reference, const db::StoreSet& stores) {
  const auto [session, index] = find_session(reference, stores);
  const db::Store& store = stores.store(index);
  return {session, store.winner(session.id), store.trials(session.id)};
}

void run_diff(const DiffArguments& options, Context& context) {
  if (!context.store_exists()) {
    context.exit_code = request_error;
    return;
  }
  const db::StoreSet stores = context.open_stores();
  const ComparedSession first = load(options.first, stores), second = load(options.second, stores);
  if (const std::string note = size_note(first, second); !note.empty()) say("note: " + note);
  context.print("diff", "differences", session_diff(first, second));
}

}  // namespace

void add_diff(CLI::App& program, Context& context) {
  CLI::App* verb =
      program.add_subcommand("diff", "Compare two sessions: settings, winners, and the trials that both have");
  auto options = std::make_shared<DiffArguments>();
  verb->add_option("first", options->first, "a session's number or name (STORE:NUMBER in another store)")
      ->required()
      ->type_name("SESSION");
  verb->add_option("second", options->second, "the other session")->required()->type_name("SESSION");
  add_database_option(*verb, context);
  add_format_option(*verb, context);
  verb->group(verbs::results);
  add_examples(*verb, {{"what changed between two sessions", "warptune diff 3 7"}});
  verb->callback([options, &context] { run_diff(*options, context); });
}

}  // namespace warptune::tuner::cli
