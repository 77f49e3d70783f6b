#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace warptune::search {

// One point of a search space: for each parameter, in the space's order, an index into its declared domain.
// What the indices mean only the SearchSpace knows (`values`, `key`).
struct Configuration {
  std::vector<std::uint32_t> choices;

  friend bool operator==(const Configuration&, const Configuration&) = default;
  friend auto operator<=>(const Configuration&, const Configuration&) = default;
};

struct ConfigurationHash {
  std::size_t operator()(const Configuration& configuration) const noexcept {
    std::uint64_t hash = 0x9e3779b97f4a7c15;
    for (std::uint32_t choice : configuration.choices) hash = (hash ^ choice) * 0xff51afd7ed558ccd, hash ^= hash >> 32;
    return hash;
  }
};

}  // namespace warptune::search
