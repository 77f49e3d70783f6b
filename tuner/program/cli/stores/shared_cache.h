// Reads which cache of machine code this machine shares with others: from options, and from the environment for verbs
// and nodes that have none.
#pragma once

#include <optional>
#include <string>

#include "tuner/measure/cache/cache_options.h"

namespace CLI {
class App;
}  // namespace CLI

namespace warptune::tuner::cli {

struct SharedCacheArguments {
  std::optional<std::string> url;  // empty text: none, whatever the environment says
  bool read_only = false;
};

// Adds --cache-url and --cache-read-only.
void add_shared_cache_options(CLI::App& verb, SharedCacheArguments& arguments);

// Returns the shared cache that the arguments choose, with $WARPTUNE_CACHE_URL, _READ_ONLY, _TOKEN and _LOGIN where
// they say nothing. Throws std::invalid_argument.
SharedCacheOptions shared_cache(const SharedCacheArguments& arguments = {});
// Sets the variables that the arguments override, for processes that this one starts.
void set_environment(const SharedCacheArguments& arguments);

// Returns the cache in the user's folder, with its default limit, and the shared cache of the environment.
CacheOptions cache_of_user();

}  // namespace warptune::tuner::cli
