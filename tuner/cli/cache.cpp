#include <fmt/format.h>

#include "tuner/cache/code_cache.h"
#include "tuner/cli/verbs.h"

namespace warptune::tuner::cli {

namespace {

void stats(Context& context) {
  const CacheOptions options{default_cache_folder()};
  const CacheStats stats = CodeCache(options).stats();
  Table table({"folder", "entries", "bytes"});
  table.add(
      {options.folder.string(), static_cast<std::int64_t>(stats.entries), static_cast<std::int64_t>(stats.bytes)});
  context.print("cache", "caches", table);
}

void clear() {
  const CacheOptions options{default_cache_folder()};
  CodeCache(options).clear();
  say(fmt::format("cleared {}", options.folder.string()));
}

}  // namespace

void add_cache(CLI::App& program, Context& context) {
  CLI::App* verb = program.add_subcommand("cache", "Look at or clear the cache of compiled configurations");
  verb->require_subcommand(1);
  CLI::App* show = verb->add_subcommand("stats", "Say where it is and how large");
  add_format_option(*show, context);
  show->callback([&context] { stats(context); });
  verb->add_subcommand("clear", "Delete everything in it")->callback([] { clear(); });
}

}  // namespace warptune::tuner::cli
