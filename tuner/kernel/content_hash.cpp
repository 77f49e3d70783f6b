// Computes the hash of content_hash.h with the xxHash library.
#include "tuner/kernel/content_hash.h"

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace warptune::tuner {

std::string content_hash(std::string_view content) {
  const XXH128_hash_t value = XXH3_128bits(content.data(), content.size());
  return fmt::format("{:016x}{:016x}", value.high64, value.low64);
}

}  // namespace warptune::tuner
