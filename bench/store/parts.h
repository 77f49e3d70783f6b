// The parts of the store's benchmark; each works in `folder` and prints its figures through `claims`.
#pragma once

#include <cstdint>
#include <filesystem>

#include "bench/store/claims.h"

namespace warptune::tuner::bench {

struct Scale {
  std::int64_t sessions = 2000;
  std::int64_t trials = 1'000'000;
  int kills = 200;
  int writers = 8;
};

void measure_batches(const std::filesystem::path& folder, const Scale& scale, Claims& claims);
// These three on the file that measure_batches left.
void measure_lookups(const std::filesystem::path& folder, Claims& claims);
void measure_pages(const std::filesystem::path& folder, Claims& claims);
void measure_commits(const std::filesystem::path& folder, Claims& claims);

void measure_kills(const std::filesystem::path& folder, const Scale& scale, Claims& claims);
void measure_writers(const std::filesystem::path& folder, const Scale& scale, Claims& claims);

}  // namespace warptune::tuner::bench
