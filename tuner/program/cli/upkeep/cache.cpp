// Implements `warptune cache`, which shows or clears the cache of compiled configurations.
#include <fmt/format.h>

#include "tuner/measure/cache/code_cache.h"
#include "tuner/program/cli/grammar/environment.h"
#include "tuner/program/cli/grammar/options.h"
#include "tuner/program/cli/grammar/verbs.h"

namespace warptune::tuner::cli {

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
