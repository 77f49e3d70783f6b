// The cache of machine code that machines share, as users name it: by options, and by the environment for verbs and
// nodes that have none.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "tuner/measure/cache/cache_options.h"

namespace warptune::tuner::cli {

struct SharedCacheArguments {
  std::optional<std::string> url;  // empty text: none, whatever the environment says
  bool read_only = false;
};

// --cache-url, --cache-read-only.
void add_shared_cache_options(CLI::App& verb, SharedCacheArguments& arguments);

// With $WARPTUNE_CACHE_URL, _READ_ONLY, _TOKEN and _LOGIN where the arguments say nothing. Throws
// std::invalid_argument.
SharedCacheOptions shared_cache(const SharedCacheArguments& arguments = {});
// For processes that this one starts: sets the variables that the arguments override.
void set_environment(const SharedCacheArguments& arguments);

// The user's folder, as large as it may be by default, and the shared cache of the environment.
CacheOptions cache_of_user();

}  // namespace warptune::tuner::cli
