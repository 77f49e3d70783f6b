#include "search/strategies/proposals.h"

namespace warptune::search {

std::optional<Configuration> Proposals::fresh(Rng& rng) {
  // Rejection is uniform and cheap until few are left; 64 misses in a row mean that more than nine in ten are known.
  constexpr int attempts = 64;
  for (int i = 0; i < attempts && !exhausted(); ++i) {
    Configuration candidate = space_.sample(rng);
    if (add(candidate)) return candidate;
  }
  return scan(rng);
}

// From a random place on, the first unknown one. Only near exhaustion, where `known_` is about as large as the space.
std::optional<Configuration> Proposals::scan(Rng& rng) {
  if (exhausted() || !space_.exact()) return std::nullopt;
  const auto size = static_cast<std::uint64_t>(space_.size());
  const std::uint64_t start = rng.below(size);
  for (std::uint64_t i = 0; i < size; ++i) {
    Configuration candidate = space_.at((start + i) % size);
    if (add(candidate)) return candidate;
  }
  return std::nullopt;
}

}  // namespace warptune::search
