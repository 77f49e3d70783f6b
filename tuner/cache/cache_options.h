// Where compiled code is kept, and how much of it. Apart from code_cache.h, because programs that embed the tuner say
// it.
#pragma once

#include <cstdint>
#include <filesystem>

namespace warptune::tuner {

struct CacheOptions {
  std::filesystem::path folder;  // empty: no cache
  std::uint64_t limit_bytes = std::uint64_t{2} << 30;
};

}  // namespace warptune::tuner
