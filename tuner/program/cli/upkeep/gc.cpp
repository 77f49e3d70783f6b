// Implements `warptune gc`, which deletes sessions without trials and templates of ended work and releases free space,
// and `warptune cache`, which shows or clears the cache of compiled configurations.

#include <fmt/format.h>

#include "tuner/measure/cache/code_cache.h"
#include "tuner/program/cli/grammar/environment.h"
#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/grammar/values.h"
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

namespace {

void stats(Context& context) {
  const CacheOptions options{default_cache_folder()};
  const CacheStats stats = CodeCache(options).stats();
  const auto number = [](std::uint64_t count) { return static_cast<std::int64_t>(count); };
  Table table({"folder", "entries", "bytes", "shared_hits", "shared_misses"});
  table.add({options.folder.string(), number(stats.entries), number(stats.bytes), number(stats.shared_hits),
             number(stats.shared_misses)});
  context.print("cache", "caches", table);
}

void clear() {
  const CacheOptions options{default_cache_folder()};
  CodeCache(options).clear();
  say(fmt::format("cleared {}", options.folder.string()));
}

}  // namespace

void add_cache(CLI::App& program, Context& context) {
  CLI::App* verb = program.add_subcommand("cache", "Show or clear the cache of compiled configurations");
  verb->require_subcommand(1);
  CLI::App* show = verb->add_subcommand("stats", "Show the cache's place and size, and the hits of a shared cache");
  add_format_option(*show, context);
  show->callback([&context] { stats(context); });
  verb->add_subcommand("clear", "Delete everything in it; a shared cache stays as it is")->callback([] { clear(); });
  verb->group(verbs::store);
  add_examples(*verb, {{"how large it is, and where", "warptune cache stats"}, {"empty it", "warptune cache clear"}});
}

}  // namespace warptune::tuner::cli
