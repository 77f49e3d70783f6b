// Implements `warptune gc`, which deletes sessions without trials and templates of ended work, and releases free space.
#include <fmt/format.h>

#include "tuner/program/cli/grammar/numbers.h"
#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/grammar/verbs.h"

namespace warptune::tuner::cli {

namespace {

struct GcArguments {
  bool dry_run = false;
  std::int64_t idle_hours = 24;
};

// Deletes what can go, or in a dry run only counts it. Where there is no store yet nothing can go, and programs get a
// document that says so.
db::GcReport collect(const GcArguments& options, Context& context) {
  if (!context.store_exists()) return {};
  const db::Effect effect = options.dry_run ? db::Effect::preview : db::Effect::apply;
  return context.open_store(db::OpenMode::read_write).gc(std::chrono::hours(options.idle_hours), effect);
}

void run_gc(const GcArguments& options, Context& context) {
  const db::GcReport report = collect(options, context);
  if (options.dry_run) say("a dry run: nothing was changed; packing may free more than the pages that are unused now");
  Table table({"sessions_removed", "templates_removed", "bytes_freed"});
  table.add({report.sessions_removed, report.templates_removed, report.bytes_freed});
  context.print("gc", "removed", table);
}

}  // namespace

void add_gc(CLI::App& program, Context& context) {
  CLI::App* verb = program.add_subcommand(
      "gc", "Delete sessions without trials and templates of ended work, and release free space");
  auto options = std::make_shared<GcArguments>();
  verb->add_flag("--dry-run", options->dry_run, "show what would be deleted, and delete nothing");
  verb->add_option("--idle-hours", options->idle_hours, "delete running sessions that were idle for so long")
      ->type_name("HOURS")
      ->check(whole(0, 1'000'000))
      ->capture_default_str();
  add_database_option(*verb, context);
  add_format_option(*verb, context);
  verb->group(verbs::store);
  add_examples(*verb, {{"what would go", "warptune gc --dry-run"}});
  verb->callback([options, &context] { run_gc(*options, context); });
}

}  // namespace warptune::tuner::cli
