// Implements `warptune merge`, which copies the sessions of other stores into this one.
#include <fmt/format.h>

#include "db/store_address.h"
#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/grammar/verbs.h"

namespace warptune::tuner::cli {

namespace {

struct MergeArguments {
  std::vector<std::string> files;
  bool dry_run = false;
};

// Requires that the stores can be opened, before anything is written: a mistyped name would leave an empty store, or
// only what was named before it.
void require_stores(const std::vector<std::string>& files) {
  for (const std::string& file : files) db::Store::open(file, db::OpenMode::read_only);
}

void run_merge(const MergeArguments& options, Context& context) {
  require_stores(options.files);
  // A dry run makes no store where none is: it shows what an empty one would take over.
  const bool nowhere = options.dry_run && !db::may_exist(context.store_name());
  db::Store store =
      nowhere ? db::Store::open(":memory:", db::OpenMode::read_write) : context.open_store(db::OpenMode::read_write);
  const db::Effect effect = options.dry_run ? db::Effect::preview : db::Effect::apply;
  Table table({"file", "sessions_added", "trials_added", "trials_replaced", "winners_changed", "checks_added"});
  for (const std::string& file : options.files) {
    const db::MergeReport report = store.merge(file, effect);
    table.add({db::is_address(file) ? db::shown_name(file).string() : file, report.sessions_added, report.trials_added,
               report.trials_replaced, report.winners_changed, report.checks_added});
  }
  if (options.dry_run) say("a dry run: nothing was changed, and each file is taken by itself");
  context.print("merge", "files", table);
}

}  // namespace

void add_merge(CLI::App& program, Context& context) {
  CLI::App* verb = program.add_subcommand("merge", "Copy the sessions of other stores into this one");
  auto options = std::make_shared<MergeArguments>();
  verb->add_option("files", options->files, "other stores, files or postgresql://…; only read")
      ->required()
      ->type_name("FILE");
  verb->add_flag("--dry-run", options->dry_run, "show what would change, and change nothing")->group(group::output);
  add_database_option(*verb, context);
  add_format_option(*verb, context);
  verb->group(verbs::store);
  add_examples(*verb, {{"what two machines tuned, in one store", "warptune merge laptop.db cluster.db"}});
  verb->callback([options, &context] { run_merge(*options, context); });
}

}  // namespace warptune::tuner::cli
