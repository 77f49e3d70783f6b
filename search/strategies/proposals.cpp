// Draws unknown configurations by rejection, and by a scan near exhaustion.
#include "search/strategies/proposals.h"

namespace warptune::search {

std::optional<Configuration> Proposals::fresh(Rng& rng) {
  // Rejection is uniform and cheap until few are left; 64 misses in a row mean that more than nine in ten are known.
  constexpr int attempts = 64;
  // In a space that is not exact each attempt may take a tenth of a second, and some find nothing.
  const int most = space_.exact() ? attempts : 4;
  for (int i = 0; i < most && !exhausted(); ++i) {
    auto candidate = sampled(rng);
    if (!candidate) break;
    if (add(*candidate)) return candidate;
  }
  return scan(rng);
}

std::optional<Configuration> Proposals::sampled(Rng& rng) const {
  if (space_.exact()) return space_.sample(rng);
  auto drawn = space_.sample_distinct(1, rng);
  if (drawn.empty()) return std::nullopt;
  return std::move(drawn.front());
}

// Returns the first unknown configuration from a random place on. It is only used near exhaustion, where `known_` is
// about as large as the space.
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
