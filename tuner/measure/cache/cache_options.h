// The options that say where compiled code is kept, and how much of it. They are apart from code_cache.h because
// programs that embed the tuner use them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace warptune::tuner {

// A cache that machines share over HTTP (shared_cache.h). Whoever may write to it decides what code runs here, so it is
// used only if the user has named it.
struct SharedCacheOptions {
  std::string url;            // "http://cache.site:8080/warptune"; empty: none
  std::string authorization;  // the header's value: "Bearer …", "Basic …"; empty: none
  bool read_only = false;
  int patience_ms = 2000;  // the time limit for reading or writing one entry
};

struct CacheOptions {
  std::filesystem::path folder;  // empty: no cache, not a shared one either
  std::uint64_t limit_bytes = std::uint64_t{2} << 30;
  SharedCacheOptions shared = {};
};

}  // namespace warptune::tuner
