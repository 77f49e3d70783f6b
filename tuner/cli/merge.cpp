#include <fmt/format.h>

#include "tuner/cli/verbs.h"

namespace warptune::tuner::cli {

namespace {

struct MergeArguments {
  std::vector<std::string> files;
  bool dry_run = false;
};

void run_merge(const MergeArguments& options, Context& context) {
  db::Store store = context.open_store(db::OpenMode::read_write);
  const db::Effect effect = options.dry_run ? db::Effect::preview : db::Effect::apply;
  Table table({"file", "sessions_added", "trials_added", "trials_replaced", "winners_changed", "checks_added"});
  for (const std::string& file : options.files) {
    const db::MergeReport report = store.merge(file, effect);
    table.add({file, report.sessions_added, report.trials_added, report.trials_replaced, report.winners_changed,
               report.checks_added});
  }
  if (options.dry_run) say("a dry run: nothing was changed, and each file is taken by itself");
  context.print("merge", "files", table);
}

}  // namespace

void add_merge(CLI::App& program, Context& context) {
  CLI::App* verb = program.add_subcommand(
      "merge", "Take over the sessions of other stores; rows remember where they came from, repeating changes nothing");
  auto options = std::make_shared<MergeArguments>();
  verb->add_option("files", options->files, "other stores; they are only read")->required();
  verb->add_flag("--dry-run", options->dry_run, "say what would change, and change nothing");
  add_database_option(*verb, context);
  add_format_option(*verb, context);
  verb->callback([options, &context] { run_merge(*options, context); });
}

}  // namespace warptune::tuner::cli
